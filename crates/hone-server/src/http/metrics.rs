//! `/metrics`: what was asked and how long it took, in Prometheus' text.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;

use super::Site;

/// Upper bounds of the classes of time, in seconds.
const BOUNDS: [f64; 10] = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 10.0];
/// Routes, methods and statuses that are told apart; past it, all others are one.
const MAX_SERIES: usize = 1_000;

/// Counters of all requests.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    series: Mutex<BTreeMap<(String, String, u16), Series>>,
}

#[derive(Debug, Default, Clone)]
struct Series {
    count: u64,
    seconds: f64,
    classes: [u64; BOUNDS.len()],
}

impl Metrics {
    /// Counts a request.
    pub(crate) fn count(&self, route: &str, method: &str, status: u16, took: Duration) {
        let mut all = self.series.lock().unwrap_or_else(PoisonError::into_inner);
        let mut key = (route.to_owned(), method.to_owned(), status);
        if all.len() >= MAX_SERIES && !all.contains_key(&key) {
            key = ("(other)".to_owned(), "(other)".to_owned(), 0);
        }
        let series = all.entry(key).or_default();
        let seconds = took.as_secs_f64();
        series.count += 1;
        series.seconds += seconds;
        for (class, bound) in series.classes.iter_mut().zip(BOUNDS) {
            *class += u64::from(seconds <= bound);
        }
    }

    fn text(&self) -> String {
        let all = self.series.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut text = String::from(
            "# HELP hone_request_seconds How long a request took.\n\
             # TYPE hone_request_seconds histogram\n",
        );
        for ((route, method, status), series) in all {
            let labels = format!("route=\"{route}\",method=\"{method}\",status=\"{status}\"");
            for (class, bound) in series.classes.iter().zip(BOUNDS) {
                let _ = writeln!(
                    text,
                    "hone_request_seconds_bucket{{{labels},le=\"{bound}\"}} {class}"
                );
            }
            let _ = writeln!(
                text,
                "hone_request_seconds_bucket{{{labels},le=\"+Inf\"}} {count}\n\
                 hone_request_seconds_sum{{{labels}}} {seconds}\n\
                 hone_request_seconds_count{{{labels}}} {count}",
                count = series.count,
                seconds = series.seconds,
            );
        }
        text
    }
}

/// What the server counts.
pub(crate) async fn metrics(State(site): State<Site>) -> impl IntoResponse {
    let mut text = site.metrics.text();
    let gauges = [
        ("hone_runs_open", "Runs that wait or are worked on.", site.runs.open_count() as u64),
        ("hone_skills", "Skills that were offered when last somebody asked.", site.skills_seen()),
        ("hone_log_lines_dropped", "Lines of the log that nobody read.", site.log.dropped()),
    ];
    for (name, about, value) in gauges {
        let _ = write!(text, "# HELP {name} {about}\n# TYPE {name} gauge\n{name} {value}\n");
    }
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_by_route_and_class_of_time() {
        let metrics = Metrics::default();
        metrics.count("/a/{b}", "GET", 200, Duration::from_micros(600));
        metrics.count("/a/{b}", "GET", 200, Duration::from_secs(20));
        let text = metrics.text();
        let line = |bound: &str| {
            format!(
                "hone_request_seconds_bucket{{route=\"/a/{{b}}\",method=\"GET\",status=\"200\",le=\"{bound}\"}}"
            )
        };
        for (bound, count) in [("0.0005", 0), ("0.001", 1), ("10", 1), ("+Inf", 2)] {
            assert!(text.contains(&format!("{} {count}\n", line(bound))), "{bound}: {text}");
        }
    }

    #[test]
    fn so_many_series_and_no_more() {
        let metrics = Metrics::default();
        for route in 0..MAX_SERIES + 10 {
            metrics.count(&route.to_string(), "GET", 200, Duration::ZERO);
        }
        assert_eq!(metrics.series.lock().unwrap().len(), MAX_SERIES + 1);
    }
}
