//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// rslock on Tokio, by the protocol of bench/peers/README.md.
//
//     peer HOST:PORT mutex

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rslock::{LockGuard, LockManager};
use tokio::io::{AsyncBufReadExt, BufReader};

const LEASE: Duration = Duration::from_secs(30);
const LACKS: &str = "no order, polls every 0 to 200 ms, no renewal, no notification of a loss";

fn now() -> i64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut t) };
    t.tv_sec * 1_000_000_000 + t.tv_nsec
}

fn fail(error: impl std::fmt::Display) -> ! {
    println!("{{\"failed\": \"{}\"}}", error.to_string().replace('"', "'"));
    std::process::exit(1)
}

/// The work of the contenders for one request `pairs`.
struct Turn {
    names: i64,
    hold: u64,
    begin: i64,
    end: i64,
}

/// The results of one contender.
#[derive(Default)]
struct Account {
    pairs: usize,
    waits: Vec<i64>,
}

impl Account {
    fn note(&mut self, turn: &Turn, requested: i64, at: i64) {
        if at >= turn.begin {
            self.waits.push((at - requested) / 1000);
            self.pairs += usize::from(at < turn.end);
        }
    }
}

async fn contend(manager: LockManager, turn: Arc<Turn>, number: i64) -> Account {
    let name = format!("bench:{}", number % turn.names);
    let mut account = Account::default();
    loop {
        let requested = now();
        if requested >= turn.end {
            return account;
        }
        let guard = manager.acquire(name.as_str(), LEASE).await.unwrap_or_else(|e| fail(e));
        let at = now();
        account.note(&turn, requested, at);
        if turn.hold > 0 && at < turn.end {
            tokio::time::sleep(Duration::from_millis(turn.hold)).await;
        }
        guard.release().await;
    }
}

async fn pairs(manager: &LockManager, numbers: &[i64]) {
    let turn = Arc::new(Turn { names: numbers[1], hold: numbers[2] as u64, begin: numbers[3], end: numbers[4] });
    let contenders: Vec<_> =
        (0..numbers[0]).map(|i| tokio::spawn(contend(manager.clone(), turn.clone(), i))).collect();
    let mut all = Account::default();
    for one in contenders {
        let account = one.await.unwrap_or_else(|e| fail(e));
        all.pairs += account.pairs;
        all.waits.extend(account.waits);
    }
    println!("{{\"pairs\": {}, \"waits\": {:?}}}", all.pairs, all.waits);
}

type Held = Arc<Mutex<HashMap<String, LockGuard>>>;

async fn acquire(manager: LockManager, held: Held, name: String, contender: String) {
    let requested = now();
    let guard = manager.acquire(name.as_str(), LEASE).await.unwrap_or_else(|e| fail(e));
    let at = now();
    held.lock().unwrap().insert(format!("{name} {contender}"), guard);
    println!("{{\"acquired\": {contender}, \"requested\": {requested}, \"at\": {at}}}");
}

async fn release(held: Held, place: String) {
    let guard = held.lock().unwrap().remove(&place).unwrap_or_else(|| fail("not held"));
    let begun = now();
    guard.release().await;
    println!("{{\"released_at\": {begun}}}");
}

#[tokio::main]
async fn main() {
    let address = std::env::args().nth(1).unwrap_or_default();
    let manager = LockManager::new(vec![format!("redis://{address}/")]);
    println!("{{\"version\": \"{}\", \"lacks\": \"{LACKS}\"}}", env!("RSLOCK_VERSION"));
    let held = Held::default();
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        match words[0].as_str() {
            "pairs" => pairs(&manager, &words[1..].iter().filter_map(|w| w.parse().ok()).collect::<Vec<_>>()).await,
            "acquire" => drop(tokio::spawn(acquire(manager.clone(), held.clone(), words[1].clone(), words[2].clone()))),
            _ => drop(tokio::spawn(release(held.clone(), format!("{} {}", words[1], words[2])))),
        }
    }
}
