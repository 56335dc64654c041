/** Simulates candidates for the exploration worker, in a thread beside it. */
import { simulationThread } from '@hivemind/placement'

const simulate = simulationThread((answer) => postMessage(answer))
self.onmessage = ({ data }) => simulate(data)
