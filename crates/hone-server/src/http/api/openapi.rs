//! The interface and its description, made by the same calls, so that they cannot disagree.
//!
//! The shapes are those of `schemars`, which the types of the rooms below have already; another library
//! would want its own derive on each of them.

use axum::Router;
use axum::handler::Handler;
use axum::routing::{MethodFilter, on};
use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

use crate::http::Site;
use crate::http::problem::{PROBLEM_JSON, Problem};
use crate::http::token::Role;

/// Where the interface lies.
pub(crate) const PREFIX: &str = "/api/v1";

/// The interface while it is put together.
pub(crate) struct Api {
    router: Router<Site>,
    generator: SchemaGenerator,
    paths: Map<String, Value>,
}

/// What one method at one path does.
pub(crate) struct Operation {
    id: &'static str,
    about: &'static str,
    role: Role,
    needs: Vec<Need>,
    body: Option<(&'static str, Shape)>,
    answers: Vec<(u16, &'static str, Option<Shape>)>,
    problems: Vec<u16>,
}

type Shape = Box<dyn Fn(&mut SchemaGenerator) -> Schema>;

/// What a request can say in its address and head.
enum Need {
    Path(&'static str, &'static str),
    Header(&'static str, &'static str),
    Query(Shape),
}

fn shape<T: JsonSchema + 'static>() -> Shape {
    Box::new(SchemaGenerator::subschema_for::<T>)
}

/// What reads.
pub(crate) fn reads(id: &'static str, about: &'static str) -> Operation {
    Operation {
        id,
        about,
        role: Role::Read,
        needs: Vec::new(),
        body: None,
        answers: Vec::new(),
        problems: vec![400],
    }
}

/// What changes skills, or decides.
pub(crate) fn writes(id: &'static str, about: &'static str) -> Operation {
    let operation = reads(id, about).fails(&[403]);
    Operation { role: Role::Write, ..operation }
}

/// What lets agents work.
pub(crate) fn runs(id: &'static str, about: &'static str) -> Operation {
    let operation = reads(id, about).fails(&[403]);
    Operation { role: Role::Run, ..operation }
}

impl Operation {
    /// A part of the path.
    pub(crate) fn at(mut self, name: &'static str, about: &'static str) -> Self {
        self.needs.push(Need::Path(name, about));
        self.fails(&[404])
    }

    /// A header that may be sent.
    pub(crate) fn header(mut self, name: &'static str, about: &'static str) -> Self {
        self.needs.push(Need::Header(name, about));
        self
    }

    /// The query.
    pub(crate) fn query<T: JsonSchema + 'static>(mut self) -> Self {
        self.needs.push(Need::Query(Box::new(|generator| {
            // A query is not a component: its members become parameters.
            T::json_schema(generator)
        })));
        self
    }

    /// The body, in JSON.
    pub(crate) fn takes<T: JsonSchema + 'static>(mut self) -> Self {
        self.body = Some(("application/json", shape::<T>()));
        self.fails(&[413, 415, 422])
    }

    /// The body, as bytes.
    pub(crate) fn takes_bytes(mut self) -> Self {
        let bytes: Shape = Box::new(|_| schemars::json_schema!({}));
        self.body = Some(("application/octet-stream", bytes));
        self.fails(&[413, 422])
    }

    /// What comes back.
    pub(crate) fn gives<T: JsonSchema + 'static>(self, status: u16) -> Self {
        self.answers(status, "application/json", Some(shape::<T>()))
    }

    /// A text that is not JSON comes back.
    pub(crate) fn gives_as(self, kind: &'static str) -> Self {
        let text: Shape = Box::new(|_| schemars::json_schema!({"type": "string"}));
        self.answers(200, kind, Some(text))
    }

    /// The bytes of a file come back, as text where they are.
    pub(crate) fn gives_bytes(self) -> Self {
        let anything = || -> Shape { Box::new(|_| schemars::json_schema!({})) };
        self.answers(200, "text/plain", Some(anything())).answers(
            200,
            "application/octet-stream",
            Some(anything()),
        )
    }

    /// Nothing but a status comes back.
    pub(crate) fn ends(self, status: u16) -> Self {
        self.answers(status, "", None)
    }

    fn answers(mut self, status: u16, kind: &'static str, shape: Option<Shape>) -> Self {
        self.answers.push((status, kind, shape));
        self
    }

    /// How else it may end.
    pub(crate) fn fails(mut self, statuses: &[u16]) -> Self {
        self.problems.extend(statuses);
        self.problems.sort_unstable();
        self.problems.dedup();
        self
    }

    fn described(self, generator: &mut SchemaGenerator) -> Value {
        let mut parameters = Vec::new();
        for need in self.needs {
            match need {
                Need::Path(name, about) => parameters.push(json!({
                    "name": name, "in": "path", "required": true, "description": about,
                    "schema": {"type": "string", "minLength": 1},
                })),
                Need::Header(name, about) => parameters.push(json!({
                    "name": name, "in": "header", "required": false, "description": about,
                    "schema": {"type": "string"},
                })),
                Need::Query(shape) => parameters.extend(members(&shape(generator))),
            }
        }
        let mut responses = Map::new();
        for (status, kind, answer) in self.answers {
            let response = responses
                .entry(status.to_string())
                .or_insert_with(|| json!({"description": "Done."}));
            if let Some(answer) = answer {
                response["content"][kind] = json!({"schema": answer(generator)});
            }
        }
        for status in self.problems.into_iter().chain([401, 429, 503]) {
            responses.insert(status.to_string(), json!({"$ref": "#/components/responses/Problem"}));
        }
        // Said before the request is read, by the connection itself: without a body.
        let too_long = json!({"description": "The head of the request is too long."});
        responses.insert("431".to_owned(), too_long);
        let mut operation = json!({
            "operationId": self.id,
            "summary": self.about,
            "description": format!("Needs the role `{}`.", self.role.id()),
            "responses": responses,
        });
        if !parameters.is_empty() {
            operation["parameters"] = parameters.into();
        }
        if let Some((kind, body)) = self.body {
            let content = json!({kind: {"schema": body(generator)}});
            operation["requestBody"] = json!({"required": true, "content": content});
        }
        operation
    }
}

/// The members of a query as parameters.
fn members(schema: &Schema) -> Vec<Value> {
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let Some(Value::Object(properties)) = schema.get("properties") else { return Vec::new() };
    let parameter = |(name, schema): (&String, &Value)| {
        let mut schema = schema.clone();
        let about = schema.as_object_mut().and_then(|schema| schema.remove("description"));
        json!({
            "name": name,
            "in": "query",
            "required": required.contains(&Value::String(name.clone())),
            "description": about.unwrap_or_default(),
            "schema": schema,
        })
    };
    properties.iter().map(parameter).collect()
}

impl Api {
    /// An empty one.
    pub(crate) fn new() -> Self {
        let settings = SchemaSettings::draft2020_12()
            .with(|settings| settings.definitions_path = "/components/schemas".into());
        let mut generator = settings.into_generator();
        generator.subschema_for::<Problem>();
        Self { router: Router::new(), generator, paths: Map::new() }
    }

    /// One more thing that can be done. A last part of a path may be `{*name}`: all of the rest.
    pub(crate) fn on<H, T>(
        mut self,
        method: MethodFilter,
        path: &str,
        operation: Operation,
        handler: H,
    ) -> Self
    where
        H: Handler<T, Site>,
        T: 'static,
    {
        let described = operation.described(&mut self.generator);
        let shown = format!("{PREFIX}{}", path.replace("{*", "{"));
        let at = self.paths.entry(shown).or_insert_with(|| json!({}));
        at[word(method)] = described;
        self.router = self.router.route(path, on(method, handler));
        self
    }

    /// The routes, and the document.
    pub(crate) fn done(mut self) -> (Router<Site>, Value) {
        let schemas = self.generator.take_definitions(true);
        let document = json!({
            "openapi": "3.1.0",
            "info": {
                "title": "hone",
                "version": env!("CARGO_PKG_VERSION"),
                "description": "Skills of AI agents: read, change, scan, route, and let agents work.",
                "license": {"name": "MIT OR Apache-2.0"},
            },
            "servers": [{"url": "/"}],
            "security": [{"token": []}],
            "paths": self.paths,
            "components": {
                "schemas": schemas,
                "responses": {
                    "Problem": {
                        "description": "It was not done, and why.",
                        "content": {PROBLEM_JSON: {"schema": {"$ref": "#/components/schemas/Problem"}}},
                    },
                },
                "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            },
        });
        (Router::new().nest(PREFIX, self.router), document)
    }
}

fn word(method: MethodFilter) -> &'static str {
    match method {
        MethodFilter::POST => "post",
        MethodFilter::PUT => "put",
        MethodFilter::PATCH => "patch",
        MethodFilter::DELETE => "delete",
        _ => "get",
    }
}
