//! One run of HM2 in DSLab's simcore: components that send each other events. Arguments: number of devices, seed.
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use rand_distr::Exp;
use serde::Serialize;
use simcore::{cast, Event, EventHandler, Id, Simulation, SimulationContext};

const FRAMES: u32 = 120;
const KEEP_ALIVE: f64 = 20.0;
const COLD_START: f64 = 0.3;
const DELAY: f64 = 0.002;

#[derive(Clone, Serialize)]
struct Emit {}

/// A frame has left the device, crossed the uplink, been served or crossed the downlink.
#[derive(Clone, Serialize)]
struct Frame {
    emitted: f64,
}

#[derive(Clone, Serialize)]
struct Served {
    emitted: f64,
}

/// A shared first-come-first-served link: when it is free next says all of its queue.
struct Link {
    seconds: f64,
    free_at: f64,
}

impl Link {
    /// Takes a frame; returns how long until it is at the other end.
    fn send(&mut self, now: f64) -> f64 {
        self.free_at = self.free_at.max(now) + self.seconds;
        self.free_at - now + DELAY
    }
}

struct Device {
    ctx: SimulationContext,
    left: u32,
    uplink: Rc<RefCell<Link>>,
    cloud: Id,
}

impl EventHandler for Device {
    fn on(&mut self, event: Event) {
        cast!(match event.data {
            Emit {} => {
                let emitted = event.time;
                self.left -= 1;
                if self.left > 0 {
                    // every period is the same, so these come in order and need no heap
                    self.ctx.emit_ordered_self(Emit {}, 1.0);
                }
                let delay = self.uplink.borrow_mut().send(emitted);
                self.ctx.emit(Frame { emitted }, self.cloud, delay);
            }
        })
    }
}

struct Cloud {
    ctx: SimulationContext,
    free: usize,
    /// Since when a container is idle; the one used last is on top.
    idle: Vec<f64>,
    waiting: VecDeque<f64>,
    service: Exp<f64>,
    downlink: Link,
    sink: Id,
}

impl Cloud {
    fn start(&mut self, now: f64, emitted: f64) {
        self.free -= 1;
        let warm = self.idle.pop().is_some_and(|since| now - since <= KEEP_ALIVE);
        let service = self.ctx.sample_from_distribution(&self.service);
        let held = service + if warm { 0.0 } else { COLD_START };
        self.ctx.emit_self(Served { emitted }, held);
    }
}

impl EventHandler for Cloud {
    fn on(&mut self, event: Event) {
        let now = event.time;
        cast!(match event.data {
            Frame { emitted } => {
                if self.free > 0 {
                    self.start(now, emitted);
                } else {
                    self.waiting.push_back(emitted);
                }
            }
            Served { emitted } => {
                self.free += 1;
                self.idle.push(now);
                let delay = self.downlink.send(now);
                self.ctx.emit(Frame { emitted }, self.sink, delay);
                if let Some(next) = self.waiting.pop_front() {
                    self.start(now, next);
                }
            }
        })
    }
}

struct Sink {
    latencies: Vec<f64>,
}

impl EventHandler for Sink {
    fn on(&mut self, event: Event) {
        let now = event.time;
        cast!(match event.data {
            Frame { emitted } => {
                self.latencies.push(now - emitted);
            }
        })
    }
}

fn usage() -> (f64, f64) {
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut usage) };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    (seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_maxrss as f64 / 1024.0)
}

fn main() {
    let arguments: Vec<u64> = std::env::args().skip(1).map(|each| each.parse().expect("a number")).collect();
    let devices = arguments[0] as usize;
    let mut sim = Simulation::new(*arguments.get(1).unwrap_or(&1));

    let sink = Rc::new(RefCell::new(Sink { latencies: Vec::with_capacity(devices * FRAMES as usize) }));
    let sink_id = sim.add_handler("sink", sink.clone());
    let ctx = sim.create_context("cloud");
    let cloud = Rc::new(RefCell::new(Cloud {
        ctx,
        free: (devices as f64 * 0.2 / 0.75).ceil() as usize,
        idle: Vec::new(),
        waiting: VecDeque::new(),
        service: Exp::new(5.0).expect("a rate"),
        downlink: Link { seconds: 0.1 / devices as f64, free_at: 0.0 },
        sink: sink_id,
    }));
    let cloud_id = sim.add_handler("cloud", cloud);
    let uplink = Rc::new(RefCell::new(Link { seconds: 0.7 / devices as f64, free_at: 0.0 }));
    for number in 0..devices {
        let name = format!("device-{number}");
        let phase = sim.rand();
        let ctx = sim.create_context(&name);
        ctx.emit_self(Emit {}, phase);
        let device = Device { ctx, left: FRAMES, uplink: uplink.clone(), cloud: cloud_id };
        sim.add_handler(&name, Rc::new(RefCell::new(device)));
    }

    let (before, _) = usage();
    sim.step_until_no_events();
    let (after, rss) = usage();
    let latencies = &mut sink.borrow_mut().latencies;
    latencies.sort_by(f64::total_cmp);
    let at = |share: f64| latencies[(share * (latencies.len() - 1) as f64) as usize];
    println!(
        "{{\"cpuS\":{},\"version\":\"0.1.0 (Rust)\",\"meanS\":{},\"p50S\":{},\"p95S\":{},\"p99S\":{},\"rssMB\":{}}}",
        after - before,
        latencies.iter().sum::<f64>() / latencies.len() as f64,
        at(0.5),
        at(0.95),
        at(0.99),
        rss
    );
}
