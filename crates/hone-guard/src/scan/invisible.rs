//! What a tag of HTML keeps from the eye: no size, no place, no colour of its own.

/// Declarations that leave nothing to see.
#[rustfmt::skip]
const STYLES: [&str; 26] = [
    "display:none", "visibility:hidden", "visibility:collapse", "font-size:0", "font-size:1px", "font-size:1pt", "font-size:.", "font-size:0.", "opacity:0;", "opacity:0\"", "opacity:0'",
    "opacity:0.0", "opacity:.0", "height:0", "width:0", "color:transparent", "left:-9", "top:-9", "right:-9", "text-indent:-9", "margin-left:-9", "clip:rect(0", "clip-path:inset(100%",
    "clip-path:inset(50%", "scale(0)", "line-height:0",
];

/// How far a channel may be from that of the ground before a reader sees a letter.
const NEAR: u8 = 20;

/// The ground of a page.
const WHITE: Colour = [255; 3];

type Colour = [u8; 3];

/// Whether a tag makes its content invisible.
pub(super) fn hides(tag: &str) -> bool {
    let tag: String = tag.to_ascii_lowercase().chars().filter(|c| !c.is_whitespace()).collect();
    let style = tag.contains("style=");
    style && STYLES.iter().any(|declaration| tag.contains(declaration))
        || is_colourless(&tag)
        || tag.contains("size=\"0\"")
        || tag.contains("hidden>")
        || tag.contains("hidden=\"")
        || tag.contains("aria-hidden=\"true\"") && style
}

/// Whether letters have the colour of what is behind them.
fn is_colourless(tag: &str) -> bool {
    // Addresses have such words in them, too.
    let style = tag.find("style=").map(|at| &tag[at..]);
    let Some(letters) = style.or_else(|| tag.starts_with("<font").then_some(tag)) else {
        return false;
    };
    let Some(value) = declared(letters, "color") else { return false };
    let Some((letters, alpha)) = colour(value) else { return false };
    let ground = declared(tag, "background-color")
        .or_else(|| declared(tag, "background"))
        .or_else(|| declared(tag, "bgcolor"));
    // What is behind the letters of an element without a ground of its own is the page.
    let behind = match ground {
        Some(value) => colour(value).map(|(ground, _)| ground),
        None => Some(WHITE),
    };
    alpha == 0
        || behind.is_some_and(|behind| {
            letters.iter().zip(behind).all(|(letter, ground)| letter.abs_diff(ground) <= NEAR)
        })
}

/// The value of a declaration or an attribute.
fn declared<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    tag.match_indices(name).find_map(|(at, _)| {
        let before = tag[..at].chars().next_back();
        // `background-color` is no `color`; blanks are gone: `<fontcolor=`.
        let whole = !before.is_some_and(|c| c == '-' || c == '_')
            && (tag.starts_with("<font") || !before.is_some_and(|c| c.is_ascii_alphanumeric()));
        let rest = tag[at + name.len()..].strip_prefix([':', '='])?;
        let rest = rest.trim_start_matches(['"', '\'']);
        let end = rest.find([';', '"', '\'', '>']).unwrap_or(rest.len());
        whole.then(|| rest[..end].trim_end_matches("!important"))
    })
}

/// A colour and how much of it is seen, from none to all of 255.
fn colour(value: &str) -> Option<(Colour, u8)> {
    if let Some(digits) = value.strip_prefix('#') {
        // Of the short form each digit counts twice.
        let pairs: Vec<String> = match digits.len() {
            3 | 4 => digits.chars().map(|digit| format!("{digit}{digit}")).collect(),
            6 | 8 => (0..digits.len())
                .step_by(2)
                .filter_map(|at| digits.get(at..at + 2))
                .map(str::to_owned)
                .collect(),
            _ => return None,
        };
        let channels: Vec<u8> =
            pairs.iter().map(|pair| u8::from_str_radix(pair, 16).ok()).collect::<Option<_>>()?;
        let colour = *channels.first_chunk()?;
        return Some((colour, channels.get(3).copied().unwrap_or(255)));
    }
    if let Some((function, numbers)) = value.split_once('(') {
        let numbers = numbers.trim_end_matches(')');
        let numbers: Vec<&str> = numbers.split([',', '/']).collect();
        let alpha = match numbers.get(3) {
            Some(alpha) if alpha.trim_end_matches(['0', '.', '%']).is_empty() => 0,
            _ => 255,
        };
        let [first, second, third] = *numbers.get(..3)? else { return None };
        return match function {
            "rgb" | "rgba" => {
                let channel = |text: &str| match text.strip_suffix('%') {
                    Some(percent) => percent_of(percent),
                    None => text.split('.').next()?.parse().ok(),
                };
                Some(([channel(first)?, channel(second)?, channel(third)?], alpha))
            }
            // Of a hue only how light it is matters here: nearly white or nearly black.
            "hsl" | "hsla" => {
                let light = percent_of(third.strip_suffix('%')?)?;
                let extreme = light.abs_diff(255) <= NEAR || light <= NEAR;
                extreme.then_some(([light; 3], alpha))
            }
            _ => None,
        };
    }
    let named = match value {
        "white" => WHITE,
        "snow" | "ivory" | "floralwhite" | "ghostwhite" | "whitesmoke" | "mintcream" | "azure"
        | "aliceblue" | "seashell" => [248; 3],
        "black" => [0; 3],
        _ => return None,
    };
    Some((named, 255))
}

fn percent_of(percent: &str) -> Option<u8> {
    let percent: u16 = percent.split('.').next()?.parse().ok()?;
    u8::try_from(percent.min(100) * 255 / 100).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_the_colour_of_their_ground_are_not_seen() {
        for tag in [
            "<font color=\"#fffffe\">",
            "<font color=white>",
            "<font color='#FEFEFE' size=\"2\">",
            "<span style=\"color: #fff\">",
            "<span style=\"color:rgb(254, 254, 254)\">",
            "<span style='color: rgba(0,0,0,0)'>",
            "<p style=\"color:hsl(0, 0%, 99%)\">",
            "<p style=\"color:snow\">",
            "<p style=\"color:#11223300\">",
            "<div style=\"background:#000; color:#050505\">",
            "<div style=\"background-color:white;color:white !important\">",
            "<span style=\"font-size:1pt\">",
            "<span style=\"position:absolute; top:-999px\">",
        ] {
            assert!(hides(tag), "{tag}");
        }
        for tag in [
            "<font color=\"#ff0000\">",
            "<span style=\"color:#333\">",
            "<span style=\"background:#c00;color:white\">",
            "<div style=\"background-color:#ffffff\">",
            "<td bgcolor=\"#ffffff\">",
            "<div style=\"background:url(x.png);color:#fff\">",
            "<span style=\"color:hsl(200, 50%, 40%)\">",
            "<span style=\"color:var(--fg)\">",
            "<a href=\"https://a.example/?color=white\">",
        ] {
            assert!(!hides(tag), "{tag}");
        }
    }
}
