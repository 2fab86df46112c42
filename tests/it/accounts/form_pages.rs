//! A reload of a submitted form leads to the page with the form.

use super::shared_server;
use crate::harness::{Browser, Engine};

#[tokio::test]
async fn get_on_a_form_leads_to_its_page() {
    let mut browser = Browser::new(shared_server(Engine::Sqlite));
    for (form, page) in [
        ("/sign-out", "/dashboard"),
        ("/dashboard/keys", "/dashboard"),
        ("/dashboard/keys/a1/rename", "/dashboard/keys/a1/settings"),
        ("/dashboard/keys/a1/rotate", "/dashboard/keys/a1/security"),
        ("/dashboard/account/sign-ins/a1/end", "/dashboard/account"),
        ("/dashboard/contributions/a1/appeal", "/dashboard/contributions"),
        ("/dashboard/favorites/a1/rename", "/dashboard/favorites"),
        ("/dashboard/player/unlink", "/dashboard/player"),
        ("/dashboard/servers/a1/token", "/dashboard/servers/a1"),
        ("/dashboard/servers/a1/posts/b2/delete", "/dashboard/servers/a1/posts"),
        ("/dashboard/servers/a1/settings/banner/remove", "/dashboard/servers/a1/settings"),
        ("/dashboard/skins/a1/delete", "/dashboard/skins/a1"),
        ("/dashboard/webhooks/a1/test", "/dashboard/webhooks/a1"),
        ("/dashboard/webhooks/a1/deliveries/7/resend", "/dashboard/webhooks/a1/deliveries/7"),
        ("/dashboard/webhooks/a1/rotate", "/dashboard/webhooks/a1/settings"),
        ("/moderation/next", "/moderation"),
        ("/moderation/a1/decide", "/moderation/a1"),
        ("/operator/limit-requests/a1", "/operator/limit-requests"),
        ("/operator/invitations/a1/revoke", "/operator/invitations"),
        ("/operator/keys/a1/disable", "/operator/keys/a1"),
        ("/operator/accounts/a1/disable", "/operator/accounts/a1"),
        ("/servers/a1/review/delete", "/servers/a1/review"),
        ("/skins/a1/like", "/skins/a1"),
        ("/capes/a%2Fb/like?on=yes", "/capes/a%2Fb"),
    ] {
        assert_eq!(browser.get(form).await.redirect_target(), page, "{form}");
    }
}
