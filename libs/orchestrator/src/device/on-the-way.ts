/** What a task has sent to the service and has not been acknowledged. */
import { MAX_BYTES_ON_THE_WAY, MAX_ITEMS_ON_THE_WAY } from '@hivemind/swarm'

export class OnTheWay {
  /** In the order in which they were sent, and so in that in which they arrive. */
  readonly #items: { bytes: number; arrived: Promise<void> }[] = []
  #bytes = 0

  /**
   * Counts an item in until `arrived` resolves. Resolves when the next item may follow: at once while few are on their way.
   * @param arrived must not reject
   */
  async add(bytes: number, arrived: Promise<void>): Promise<void> {
    const item = { bytes, arrived }
    this.#items.push(item)
    this.#bytes += bytes
    void arrived.then(() => {
      this.#items.splice(this.#items.indexOf(item), 1)
      this.#bytes -= bytes
    })
    for (let first = this.#items[0]; first && this.#isFull(); first = this.#items[0]) await first.arrived
  }

  #isFull(): boolean {
    return this.#items.length >= MAX_ITEMS_ON_THE_WAY || this.#bytes >= MAX_BYTES_ON_THE_WAY
  }
}
