//! A sound answer, cut at every byte: by hanging up, by a reset, and by a pause in the middle.

use std::net::SocketAddr;
use std::time::Duration;

use rollcall_ping::{Answer, Asker, Edition, Failure, Form, Names, Question};

use super::alone::runtime;
use super::host::{Host, Tcp};
use super::wire::{good, kick_text};

async fn ask(address: SocketAddr, form: Form) -> Result<Answer, Failure> {
    let names = Names::dns(Some(([127, 0, 0, 1], 9).into())).expect("a resolver");
    let asker = Asker { names, allow_private: true, deadline: Duration::from_secs(20) };
    let question = Question {
        host: "127.0.0.1".parse().expect("an address"),
        port: address.port(),
        edition: Edition::Java,
        query_port: None,
        form: Some(form),
        only_form: true,
    };
    asker.ask(&question).await
}

#[test]
fn an_answer_cut_at_any_byte_is_no_answer_and_one_in_two_parts_is_one() {
    runtime().block_on(async {
        let old = kick_text("§1\x00127\x001.6.4\x00A server\x002\x0020");
        let mut asks = 0;
        for (answer, form) in [(good(), Form::JAVA[0]), (old, Form::JAVA[1])] {
            for end in 0..answer.len() {
                for manner in [Tcp::Closes(answer[..end].to_vec()), Tcp::Resets(answer[..end].to_vec())] {
                    let host = Host::tcp(manner).await;
                    assert_eq!(ask(host.address, form).await, Err(Failure::Closed), "{end} bytes");
                    asks += 1;
                }
                let host = Host::tcp(Tcp::Parts(answer[..end].to_vec(), answer[end..].to_vec())).await;
                let told = ask(host.address, form).await.unwrap_or_else(|failure| panic!("{end} bytes: {failure}"));
                assert_eq!((told.status.players, told.status.motd_raw.as_str()), (2, "A server"));
                asks += 1;
            }
        }
        println!("{asks} answers cut at every byte");
    });
}
