//! The fields of a response, flattened to one line each.

use serde_json::Value;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldDoc {
    /// `servers[].owner.name`
    pub path: String,
    pub kind: String,
    pub description: String,
}

/// One form of a value that has several (`oneOf`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlternativeDoc {
    /// Where the value is, such as `events[].data`; empty for `data` itself.
    pub path: String,
    /// Fields with a constant value, which tell this form from the others: `type` is `server.online`.
    pub constants: Vec<(String, String)>,
    pub description: String,
    /// The fields that other forms lack.
    pub fields: Vec<FieldDoc>,
}

/// All fields of a value.
#[derive(Default)]
pub struct Fields {
    /// Those that are always there.
    pub fixed: Vec<FieldDoc>,
    pub alternatives: Vec<AlternativeDoc>,
}

/// Deeper than any response; stops at recursive schemas.
const MAX_DEPTH: usize = 8;

/// The fields of `data`.
pub fn fields(document: &Value, data: &Value) -> Fields {
    let mut fields = Fields::default();
    fields.add(document, data, "", MAX_DEPTH);
    fields
}

impl Fields {
    /// Adds the fields of the value at this path.
    fn add(&mut self, document: &Value, schema: &Value, path: &str, depth: usize) {
        if depth == 0 {
            return;
        }
        let schema = resolve(document, schema);
        let (forms, _) = forms(schema);
        if forms.len() > 1 {
            self.add_alternatives(document, &forms, path, depth);
        }
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            self.add_property(document, property, path, depth);
        }
    }

    fn add_property(&mut self, document: &Value, property: &Value, path: String, depth: usize) {
        let (forms, is_nullable) = forms(property);
        let inner = if let [only] = forms[..] { only } else { property };
        let target = resolve(document, property);
        let description = [property, inner, target].into_iter().find_map(|schema| schema["description"].as_str());
        let mut kind = kind(document, target);
        if is_nullable {
            kind += " or null";
        }
        let (value, deeper) = match first_type(target) {
            Some("array") => (&target["items"], format!("{path}[]")),
            _ => (target, path.clone()),
        };
        self.fixed.push(FieldDoc { path, kind, description: description.unwrap_or_default().to_owned() });
        self.add(document, value, &deeper, depth - 1);
    }

    /// Fields that all forms share are listed once.
    fn add_alternatives(&mut self, document: &Value, forms: &[&Value], path: &str, depth: usize) {
        let described: Vec<(&Value, Fields)> = forms
            .iter()
            .map(|form| {
                let mut fields = Fields::default();
                fields.add(document, form, path, depth - 1);
                (resolve(document, form), fields)
            })
            .collect();
        let is_shared = |field: &FieldDoc| described.iter().all(|(_, fields)| fields.fixed.contains(field));
        let (_, first) = &described[0];
        let shared: Vec<FieldDoc> = first.fixed.iter().filter(|field| is_shared(field)).cloned().collect();
        for (form, fields) in described {
            // A plain value is told by its kind.
            if form["properties"].is_object() {
                self.alternatives.push(AlternativeDoc {
                    path: path.to_owned(),
                    constants: constants(document, form),
                    description: form["description"].as_str().unwrap_or_default().to_owned(),
                    fields: fields.fixed.into_iter().filter(|field| !shared.contains(field)).collect(),
                });
            }
            self.alternatives.extend(fields.alternatives);
        }
        self.fixed.extend(shared);
    }
}

/// The forms of a value other than null, and whether null is allowed. A value with one form is its own.
fn forms(schema: &Value) -> (Vec<&Value>, bool) {
    match schema["oneOf"].as_array() {
        Some(choices) => (choices.iter().filter(|choice| !is_null(choice)).collect(), choices.iter().any(is_null)),
        None => (vec![schema], schema["type"].as_array().is_some_and(|types| types.iter().any(|name| name == "null"))),
    }
}

fn is_null(schema: &Value) -> bool {
    schema["type"] == "null"
}

/// The fields of an object that have one possible value.
fn constants(document: &Value, schema: &Value) -> Vec<(String, String)> {
    let properties = schema["properties"].as_object().into_iter().flatten();
    let constant = |(name, property): (&String, &Value)| {
        constant(resolve(document, property)).map(|value| (name.clone(), value.to_owned()))
    };
    properties.filter_map(constant).collect()
}

/// `const`, or a list of one value.
fn constant(schema: &Value) -> Option<&str> {
    match schema["enum"].as_array().map(Vec::as_slice) {
        Some([only]) => only.as_str(),
        _ => schema["const"].as_str(),
    }
}

fn kind(document: &Value, schema: &Value) -> String {
    if first_type(schema) == Some("array") {
        let items = plural(&plain(document, resolve(document, &schema["items"])));
        return match schema["maxItems"].as_u64() {
            Some(most) => format!("list of at most {most} {items}"),
            None => format!("list of {items}"),
        };
    }
    match (constant(schema), schema["enum"].as_array()) {
        (Some(value), _) => value.to_owned(),
        (None, Some(values)) => values.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        (None, None) => plain(document, schema),
    }
}

/// What a value is, without regard to the values that are allowed.
fn plain(document: &Value, schema: &Value) -> String {
    let (forms, _) = forms(schema);
    if forms.len() > 1 {
        let mut kinds: Vec<String> = Vec::new();
        for kind in forms.into_iter().map(|form| plain(document, resolve(document, form))) {
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        return kinds.join(" or ");
    }
    let name = match first_type(schema) {
        Some("integer") => "whole number",
        Some("string") if schema["format"] == "date-time" => "time",
        Some("string") if schema["format"] == "uri" => "URL",
        Some("string") if schema["format"] == "uuid" => "UUID",
        Some("string") => "text",
        Some("boolean") => "true or false",
        Some("number") => "number",
        Some("object") => "object",
        _ => "anything",
    };
    name.to_owned()
}

fn plural(kind: &str) -> String {
    match kind {
        "URL" => "URLs".to_owned(),
        "true or false" | "anything" => kind.to_owned(),
        kind => format!("{kind}s"),
    }
}

/// `type` is a name or a list that may include `null`.
fn first_type(schema: &Value) -> Option<&str> {
    match &schema["type"] {
        Value::Array(types) => types.iter().filter_map(Value::as_str).find(|name| *name != "null"),
        name => name.as_str(),
    }
}

/// What a reference, or a choice of one form, stands for.
fn resolve<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    if let Some(target) = schema["$ref"].as_str().and_then(|name| document.pointer(name.trim_start_matches('#'))) {
        return resolve(document, target);
    }
    match forms(schema).0[..] {
        [only] if schema["oneOf"].is_array() => resolve(document, only),
        _ => schema,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn lines(fields: &[FieldDoc]) -> Vec<String> {
        fields.iter().map(|field| format!("{}: {}, {}", field.path, field.kind, field.description)).collect()
    }

    /// Headings and lines of the alternatives.
    fn alternatives(fields: &Fields) -> Vec<(String, Vec<String>)> {
        let heading = |form: &AlternativeDoc| format!("{} {:?} {}", form.path, form.constants, form.description);
        fields.alternatives.iter().map(|form| (heading(form), lines(&form.fields))).collect()
    }

    fn object(description: &str, properties: Value) -> Value {
        json!({"type": "object", "description": description, "properties": properties})
    }

    #[test]
    fn forms_of_a_field_are_listed_with_their_fields() {
        let vote = object("A vote.", json!({"voteId": {"type": "string", "description": "Its id."}}));
        let peak = object("A record.", json!({"players": {"type": "integer", "description": "How many."}}));
        let mut document = json!({"forms": {"vote": vote, "peak": peak}});
        let references = json!([{"$ref": "#/forms/vote"}, {"$ref": "#/forms/peak"}]);
        document["forms"]["any"] = json!({"oneOf": references, "description": "By type."});
        let data =
            object("", json!({"data": {"$ref": "#/forms/any"}, "next": {"type": "string", "description": "On."}}));
        let fields = fields(&document, &data);
        assert_eq!(lines(&fields.fixed), ["data: object, By type.", "next: text, On."]);
        let expected = [
            ("data [] A vote.".to_owned(), vec!["data.voteId: text, Its id.".to_owned()]),
            ("data [] A record.".to_owned(), vec!["data.players: whole number, How many.".to_owned()]),
        ];
        assert_eq!(alternatives(&fields), expected);
    }

    #[test]
    fn forms_with_a_constant_type_share_their_common_fields() {
        let form = |kind: Value, key: &str| {
            let data = object("More.", json!({key: {"type": "string", "description": "Its id."}}));
            object("Told.", json!({"id": {"type": "string", "description": "Id."}, "type": kind, "data": data}))
        };
        let vote = form(json!({"const": "vote.created", "description": "Type."}), "voteId");
        let skin = form(json!({"type": "string", "enum": ["skin.published"], "description": "Type."}), "skinId");
        let events = json!({"type": "array", "description": "All.", "items": {"oneOf": [vote, skin]}});
        let fields = fields(&Value::Null, &object("", json!({"events": events})));
        let shared = ["events: list of objects, All.", "events[].id: text, Id.", "events[].data: object, More."];
        assert_eq!(lines(&fields.fixed), shared);
        let own = |kind: &str, key: &str| {
            let heading = format!("events[] [(\"type\", \"{kind}\")] Told.");
            let lines = [format!("events[].type: {kind}, Type."), format!("events[].data.{key}: text, Its id.")];
            (heading, lines.to_vec())
        };
        assert_eq!(alternatives(&fields), [own("vote.created", "voteId"), own("skin.published", "skinId")]);
    }

    #[test]
    fn one_form_is_no_alternative_and_null_is_none() {
        let vote = object("A vote.", json!({"voteId": {"type": "string", "description": "Its id."}}));
        for forms in [json!([vote]), json!([vote, {"type": "null"}])] {
            let document = json!({"only": {"oneOf": forms}});
            let fields = fields(&document, &object("", json!({"data": {"$ref": "#/only"}})));
            assert_eq!(lines(&fields.fixed), ["data: object, A vote.", "data.voteId: text, Its id."]);
            assert!(fields.alternatives.is_empty());
        }
        let fields =
            fields(&Value::Null, &object("", json!({"at": {"oneOf": [{"type": "string"}, {"type": "null"}]}})));
        assert_eq!(lines(&fields.fixed), ["at: text or null, "]);
    }
}
