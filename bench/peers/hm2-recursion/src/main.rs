//! The whole of HM2 by hand without an event list, as in `hm2-recursion.mjs`. Argument: number of devices.
use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, VecDeque};

const FRAMES: usize = 120;
const KEEP_ALIVE: f64 = 20.0;
const COLD_START: f64 = 0.3;
const DELAY: f64 = 0.002;

/// A frame that is served: until when, and when it was emitted.
struct Served {
    until: f64,
    emitted: f64,
}

impl Ord for Served {
    fn cmp(&self, other: &Self) -> Ordering {
        self.until.total_cmp(&other.until)
    }
}
impl PartialOrd for Served {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl PartialEq for Served {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Served {}

struct Random(u64);

impl Random {
    /// From 0 on, below 1.
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

struct Cloud {
    random: Random,
    served: BinaryHeap<Reverse<Served>>,
    waiting: VecDeque<f64>,
    idle: Vec<f64>,
    down_free: f64,
    down: f64,
    latencies: Vec<f64>,
}

impl Cloud {
    fn start(&mut self, now: f64, emitted: f64) {
        let is_cold = self.idle.pop().is_none_or(|since| now - since > KEEP_ALIVE);
        let until = now - (1.0 - self.random.next()).ln() * 0.2 + if is_cold { COLD_START } else { 0.0 };
        self.served.push(Reverse(Served { until, emitted }));
    }

    /// Ends what ends next, if that is before then; whether it did.
    fn finish(&mut self, before: f64) -> bool {
        if !self.served.peek().is_some_and(|Reverse(first)| first.until < before) {
            return false;
        }
        if let Some(Reverse(Served { until, emitted })) = self.served.pop() {
            self.down_free = self.down_free.max(until) + self.down;
            self.latencies.push(self.down_free + DELAY - emitted);
            self.idle.push(until);
            if let Some(next) = self.waiting.pop_front() {
                self.start(until, next);
            }
        }
        true
    }
}

/// CPU seconds of this process so far, and the most memory it had, in MB.
fn usage() -> (f64, f64) {
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut usage) };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    (seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_maxrss as f64 / 1024.0)
}

fn main() {
    let devices: usize = std::env::args().nth(1).and_then(|each| each.parse().ok()).expect("a number");
    let slots = (devices as f64 * 0.2 / 0.75).ceil() as usize;
    let up = 0.7 / devices as f64;
    let (before, _) = usage();
    let mut cloud = Cloud {
        random: Random(88172645463325252),
        served: BinaryHeap::with_capacity(slots),
        waiting: VecDeque::new(),
        idle: Vec::with_capacity(slots),
        down_free: 0.0,
        down: 0.1 / devices as f64,
        latencies: Vec::with_capacity(devices * FRAMES),
    };
    let mut phases: Vec<f64> = (0..devices).map(|_| cloud.random.next()).collect();
    phases.sort_by(f64::total_cmp);
    let mut up_free: f64 = 0.0;
    for frame in 0..FRAMES {
        for phase in &phases {
            let emitted = phase + frame as f64;
            up_free = up_free.max(emitted) + up;
            let now = up_free + DELAY;
            while cloud.finish(now) {}
            if cloud.served.len() < slots {
                cloud.start(now, emitted);
            } else {
                cloud.waiting.push_back(emitted);
            }
        }
    }
    while cloud.finish(f64::INFINITY) {}
    let (after, rss) = usage();
    let mut latencies = cloud.latencies;
    latencies.sort_by(f64::total_cmp);
    println!(
        "{{\"cpuS\":{},\"version\":\"(Rust)\",\"meanS\":{},\"p99S\":{},\"rssMB\":{}}}",
        after - before,
        latencies.iter().sum::<f64>() / latencies.len() as f64,
        latencies[(0.99 * (latencies.len() - 1) as f64) as usize],
        rss
    );
}
