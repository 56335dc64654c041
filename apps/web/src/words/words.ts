/** The words that a person meets on the screens, each explained in place by `Term` and in docs/words.md. */

export interface Word {
  term: string
  /** What it is, in one or two sentences that need none of the others. */
  says: string
}

export const words = {
  barrier: {
    term: 'Barrier',
    says: 'A task that waits until its inputs have come from all devices (or from some), and then runs once for the whole swarm.',
  },
  nfu: {
    term: 'Network functional unit',
    says: 'A small function on numbers, such as an average, that can run in the network itself: on a device, or in an FPGA.',
  },
  tier: {
    term: 'Tier',
    says: 'Where a task runs: Edge is on a device, Edge node on a machine near it, Cloud on servers, Fabric in an FPGA on the way there.',
  },
  placement: {
    term: 'Placement',
    says: 'The choice of a tier for every task. Explore tries all that make sense and estimates each.',
  },
  candidate: {
    term: 'Candidate',
    says: 'A placement that follows all rules of the workflow, with its estimate.',
  },
  front: {
    term: 'Front',
    says: 'The candidates that no other one beats in both plotted goals at once. What is not on it can be improved without giving anything up.',
  },
  pin: {
    term: 'Pin',
    says: 'A Place statement: the task runs on that tier or device, and nowhere else.',
  },
  fleet: {
    term: 'Fleet',
    says: 'The devices, their links and the cloud that estimates are made for.',
  },
  profile: {
    term: 'Profile',
    says: 'How long each task takes on each tier and how much it sends, measured in real runs. Without one, estimates rest on assumptions.',
  },
  assumed: {
    term: 'Assumed',
    says: 'Nobody has measured this yet. The figure is a small guess (10 ms, 1 kB), and whatever rests on it is marked.',
  },
  readings: {
    term: 'Readings per device',
    says: 'How many items, such as photographs, each sensor of a device emits in one run.',
  },
  seed: {
    term: 'Random seed',
    says: 'The number that the random draws of a simulation begin with. The same seed gives the same result; another one shows how much is chance.',
  },
  p99: {
    term: 'p99 latency',
    says: 'Of a hundred readings, 99 are done within this time, from the sensor to the last task that works on them. It shows the bad cases that a mean hides.',
  },
  p50: {
    term: 'p50',
    says: 'Half of the calls or readings took no longer than this (the median). It shows the usual case, p99 the bad ones.',
  },
  runTime: {
    term: 'Run time',
    says: 'From the start of a run to the end of its last task (elsewhere called makespan).',
  },
  energy: {
    term: 'Energy per device',
    says: 'What the device that needs most takes from its battery in one run: computing, sending and being switched on, flight included where the fleet says so.',
  },
  simulated: {
    term: 'Simulated',
    says: 'The mean of five simulated runs with different chance events. These are the figures to go by.',
  },
  quickEstimate: {
    term: 'Quick estimate',
    says: 'Computed by formulas while you wait. It leaves out some waiting under load, so it may differ from the simulated figure.',
  },
  network: {
    term: 'Network',
    says: 'Time on the link between devices and cloud.',
  },
  dispatch: {
    term: 'Dispatch',
    says: 'Time until the work begins: waiting for a free core, choosing a worker, starting a container.',
  },
  dataExchange: {
    term: 'Data exchange',
    says: 'Time to pass data from one function to the next: encoding, copying, the way through a store.',
  },
  execution: {
    term: 'Execution',
    says: 'Time in the code of the task itself.',
  },
  betweenFunctions: {
    term: 'Data between functions',
    says: 'How one cloud function gives its result to the next: through a store, by a direct call, within one container, or by remote memory.',
  },
  coldStart: {
    term: 'Cold start',
    says: 'A cloud function that has not run for a while has to be started first: the container, the language, the code. A warm one answers at once.',
  },
  agent: {
    term: 'Agent',
    says: 'The program on a device that runs its tasks and reports how it is. One that starts with a deployment on this machine plays a device.',
  },
  deployment: {
    term: 'Deployment',
    says: 'A version with one placement, running: functions in the cloud and agents on the devices.',
  },
  invocation: {
    term: 'Invocation',
    says: 'One call of a task, for one reading or one set of inputs.',
  },
} as const satisfies Record<string, Word>

export type WordId = keyof typeof words
