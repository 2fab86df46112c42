//! `/operator`: traffic, errors, tracker, outages and storage at a glance; `/operator/live`: its changed parts.

use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State};
use axum::http::HeaderMap;

use super::dashboard;
use super::service_state::{BusyKey, NodeState, ServiceState};
use crate::app::App;
use crate::error::ApiError;
use crate::http::query::Query;
use crate::web::current_user::Admin;
use crate::web::dashboard::{DashboardLayout, parse_span};
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::live_part::{self, LivePart};
use crate::web::page::{self, PageResult};
use crate::web::usage::{UsageLinks, UsageScope, UsageSection, UsageView, size};
use rollcall_model::usage::{UsageReport, UsageSpan};
use rollcall_store::service_state::CurrentOutage;

#[derive(Template)]
#[template(path = "operator/overview.html")]
struct OverviewPage {
    layout: Layout,
    dashboard: DashboardLayout,
    current: &'static str,
    parts: OverviewParts,
}

/// The parts that follow live.
struct OverviewParts {
    figures: LivePart,
    usage: UsageSection,
    keys: LivePart,
    outages: LivePart,
    node: LivePart,
}

#[derive(Template)]
#[template(path = "operator/overview_figures.html")]
struct Figures<'a> {
    state: &'a ServiceState,
}

#[derive(Template)]
#[template(path = "operator/overview_keys.html")]
struct BusyKeys<'a> {
    keys: &'a [BusyKey],
}

#[derive(Template)]
#[template(path = "operator/overview_outages.html")]
struct Outages<'a> {
    outages: &'a [CurrentOutage],
    total: i64,
}

#[derive(Template)]
#[template(path = "operator/overview_node.html")]
struct Node<'a> {
    node: &'a NodeState,
}

impl Figures<'_> {
    fn size(&self, bytes: &i64) -> String {
        let (size, unit) = size(*bytes);
        format!("{size} {unit}")
    }
}

impl OverviewParts {
    async fn load(app: &App, span: UsageSpan, now: i64) -> Result<Self, ApiError> {
        let state = ServiceState::load(app, span, now).await?;
        let links = UsageLinks {
            page: "/operator".to_owned(),
            live: "/operator/live".to_owned(),
            csv: None,
            api: format!("{}/v1", app.public_url),
        };
        let report = UsageReport::new(span, now, &state.lines);
        Ok(Self {
            figures: LivePart::new("operator-figures", &Figures { state: &state })?,
            usage: UsageView::new(report, UsageScope::Service, links).into_section()?,
            keys: LivePart::new("operator-keys", &BusyKeys { keys: &state.busy_keys })?,
            outages: LivePart::new(
                "operator-outages",
                &Outages { outages: &state.outages, total: state.outage_count },
            )?,
            node: LivePart::new("operator-node", &Node { node: &state.node })?,
        })
    }
}

pub async fn show(State(app): State<Arc<App>>, admin: Admin, RawQuery(query): RawQuery) -> PageResult {
    let parts = OverviewParts::load(&app, parse_span(query.as_deref()), admin.0.session.now).await?;
    Ok(page::private(&OverviewPage {
        layout: Layout::new("/dashboard"),
        dashboard: dashboard(&admin).with_success_from(query.as_deref()),
        current: "/operator",
        parts,
    }))
}

pub async fn refresh(
    State(app): State<Arc<App>>,
    admin: Admin,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> PageResult {
    let loaded = OverviewParts::load(&app, parse_span(query.as_deref()), admin.0.session.now).await?;
    let OverviewParts { figures, usage, keys, outages, node } = loaded;
    let mut parts = usage.parts;
    parts.extend([figures, keys, outages, node]);
    let query = Query::parse(query.as_deref().unwrap_or_default()).unwrap_or_default();
    Ok(live_part::respond(&parts, &query, &headers))
}
