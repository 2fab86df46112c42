//! `/manifest.webmanifest`: how the site appears when it is installed on a phone.

use axum::http::header;
use axum::response::IntoResponse;

use crate::web::assets;

pub async fn show() -> impl IntoResponse {
    let manifest = serde_json::json!({
        "name": "Rollcall",
        "short_name": "Rollcall",
        "description": "Live game server statistics",
        "start_url": "/",
        "display": "standalone",
        "background_color": "#faf9f6",
        "theme_color": "#17664f",
        "icons": [
            { "src": assets::LOGO, "sizes": "any", "type": "image/svg+xml" },
            { "src": "/icon-192.png", "sizes": "192x192", "type": "image/png" },
            { "src": "/icon-512.png", "sizes": "512x512", "type": "image/png", "purpose": "any maskable" },
        ],
    });
    let headers =
        [(header::CONTENT_TYPE, "application/manifest+json"), (header::CACHE_CONTROL, "public, max-age=3600")];
    (headers, manifest.to_string())
}
