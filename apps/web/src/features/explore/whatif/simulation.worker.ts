/** Web worker that simulates candidates for the exploration worker. */
import { simulationThread } from '@hivemind/placement'

const simulate = simulationThread((answer) => postMessage(answer))
self.onmessage = ({ data }) => simulate(data)
