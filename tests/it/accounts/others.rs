//! Nobody learns of, or touches, what is somebody else's.

use super::forms::World;
use super::kept;
use crate::harness::{Engine, Guest, Server};

/// Of the form of an id, and nobody's.
const NOBODYS: &str = "00000000000000000000";

#[tokio::test]
async fn what_is_somebody_elses_looks_like_what_is_not_there() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let world = World::new(&server).await;
        let mut eve = Guest::signed_up(&server, "eve").await;
        let nowhere = eve.get("/dashboard/keys/nothing").await;
        assert_eq!((nowhere.status, nowhere.heading().as_str()), (404, "There is nothing here"));
        let before = kept(&server.store);
        for id in &world.of_ada {
            let forms = world.forms.iter().filter(|form| form.path.contains(id.as_str()));
            let forms = forms.filter(|form| !form.path.starts_with("/operator"));
            for form in forms {
                for path in [form.path.clone(), form.path.replace(id.as_str(), NOBODYS)] {
                    let answer = eve.send(&path, &form.fields()).await;
                    assert_eq!((answer.status, &answer.body), (404, &nowhere.body), "{path}");
                }
            }
            for path in [format!("/dashboard/keys/{id}"), format!("/dashboard/keys/{id}/usage.csv")] {
                if world.of_ada[..2].contains(id) {
                    assert_eq!(world.ada.clone().get(&path).await.status, 200, "{path}");
                }
                let answer = eve.get(&path).await;
                assert_eq!((answer.status, &answer.body), (404, &nowhere.body), "{path}");
            }
        }
        for odd in ["%00", "%ff", "..%2f..", "%3Cscript%3E", "'%20or%201=1--"] {
            for path in [format!("/dashboard/keys/{odd}"), format!("/dashboard/keys/{odd}/usage.csv")] {
                let answer = eve.get(&path).await;
                assert_eq!((answer.status, &answer.body), (404, &nowhere.body), "{path}");
            }
            for path in [format!("/dashboard/keys/{odd}/disable"), format!("/dashboard/account/sign-ins/{odd}/end")] {
                assert_eq!(eve.send(&path, &[]).await.status, 404, "{path}");
            }
        }
        assert_eq!(kept(&server.store), before);
        // Nor does eve's file, list or log tell of it.
        for path in ["/dashboard", "/dashboard/usage.csv", "/dashboard/log", "/dashboard/account"] {
            let html = eve.get(path).await.html();
            assert!(!world.of_ada.iter().any(|id| html.contains(id.as_str())), "{path}");
            // As a word: the page's own token has these three letters in a row now and then.
            let mut words = html.split(|letter: char| !letter.is_alphanumeric());
            assert!(!words.any(|word| word == "ada"), "{path}");
        }
    }
}

#[tokio::test]
async fn the_operators_rooms_are_not_there_for_anyone_else() {
    const ROOMS: [&str; 4] = ["/operator", "/operator/accounts", "/operator/keys", "/operator/log"];
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let world = World::new(&server).await;
        let mut eve = Guest::signed_up(&server, "eve").await;
        let before = kept(&server.store);
        let nowhere = eve.get("/dashboard/keys/nothing").await.body;
        let mut stranger = world.stranger.clone();
        for room in ROOMS {
            assert_eq!(world.root.clone().get(room).await.status, 200);
            let answer = eve.get(room).await;
            assert_eq!((answer.status, &answer.body), (404, &nowhere), "{room}");
            assert_eq!(stranger.get(room).await.leads_to(), format!("/sign-in?next={room}"));
        }
        let forms: Vec<_> = world.forms.iter().filter(|form| form.path.starts_with("/operator")).collect();
        assert_eq!(forms.len(), 6);
        for form in forms {
            let answer = eve.send(&form.path, &form.fields()).await;
            assert_eq!((answer.status, &answer.body), (404, &nowhere), "{}", form.path);
            let answer = stranger.send(&form.path, &form.fields()).await;
            assert_eq!(answer.leads_to(), "/sign-in?next=/dashboard", "{}", form.path);
        }
        for form in world.forms.iter().filter(|form| form.path.starts_with("/dashboard")) {
            let answer = stranger.send(&form.path, &form.fields()).await;
            assert_eq!(answer.leads_to(), "/sign-in?next=/dashboard", "{}", form.path);
        }
        assert_eq!(kept(&server.store), before);
        // For an operator, what is not there is not there.
        let mut root = world.root.clone();
        for path in ["wishes/ID", "keys/ID/disable", "keys/ID/enable", "accounts/ID/disable", "accounts/ID/enable"] {
            for id in [NOBODYS, "%00"] {
                let path = format!("/operator/{}", path.replace("ID", id));
                assert_eq!(root.send(&path, &[("decision", "refuse")]).await.status, 404, "{path}");
            }
        }
        assert_eq!(kept(&server.store), before);
    }
}
