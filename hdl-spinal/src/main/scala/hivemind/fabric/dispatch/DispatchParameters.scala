package hivemind.fabric.dispatch

import hivemind.fabric.{Parameter, Schema}
import spinal.core._
import spinal.lib.bus.amba4.axis.Axi4StreamConfig

/** What a dispatch engine is built with. Changing any of it needs a new bitstream. What each means: [[DispatchParameters.schema]]. */
case class DispatchParameters(
    functions: Int = 256,
    workers: Int = 64,
    workersPerFunction: Int = 8,
    workflows: Int = 16,
    tasks: Int = 64,
    invocations: Int = 256,
    inFlight: Int = 1024,
    generationBits: Int = 16,
    tickCycles: Int = 1024,
) {
  DispatchParameters.schema.check(productElementNames.zip(productIterator.map(_.asInstanceOf[Int])).toMap)
  require(
    workersPerFunction <= workers,
    s"workersPerFunction must be at most workers, which is $workers, not $workersPerFunction",
  )

  /** Rows of one way of the match table; a function has a place in the row of its hash in either way. */
  val sets: Int = functions / 2
  val setBits: Int = log2Up(sets)
  val workerBits: Int = log2Up(workers)
  val laneBits: Int = log2Up(workersPerFunction)
  val countBits: Int = laneBits + 1
  val taskBits: Int = log2Up(tasks)
  val workflowBits: Int = log2Up(workflows)
  val invocationBits: Int = log2Up(invocations)
  val slotBits: Int = log2Up(inFlight)

  /** Bits of a load: every request in flight may be at one worker. */
  val loadBits: Int = slotBits + 1

  /** Rows of the largest table: the sweep after a reset visits so many. */
  val sweepRows: Int = Seq(sets, workers, workflows * tasks, invocations, inFlight).max

  val stream: Axi4StreamConfig = Axi4StreamConfig(dataWidth = DispatchParameters.wordBytes, useKeep = true, useLast = true)
}

object DispatchParameters {

  /** Bytes of a message that are taken per cycle. */
  val wordBytes: Int = 16
  private val powers = (from: Int, to: Int) => Iterator.iterate(from)(_ * 2).takeWhile(_ <= to).toSeq

  /** The parameters with their limits, as the generator exports them. */
  val schema: Schema = Schema(
    Seq(
      Parameter("functions", 256, powers(4, 4096), "functions", "places of the match table, in two ways"),
      Parameter("workers", 64, powers(2, 256), "workers", "workers whose load is counted"),
      Parameter("workersPerFunction", 8, Seq(2, 4, 8), "workers", "workers that one function may have"),
      Parameter("workflows", 16, powers(2, 64), "workflows", "workflows that may be loaded at once"),
      Parameter("tasks", 64, powers(4, 64), "tasks", "tasks of one workflow"),
      Parameter("invocations", 256, powers(2, 4096), "invocations", "workflow invocations in progress"),
      Parameter("inFlight", 1024, powers(4, 4096), "requests", "requests that may be at workers at once"),
      Parameter("generationBits", 16, 2 to 16, "bit", "reuses of a place, as a power of two, before an old handle is taken for a new one"),
      Parameter("tickCycles", 1024, powers(16, 65536), "cycles", "unit of the time-out"),
    ),
    "dispatch",
  )

  /** Parameters by name; those that are not named have their defaults. */
  def of(settings: Map[String, Int]): DispatchParameters = {
    val all = schema.defaults ++ schema.known(settings)
    DispatchParameters(
      functions = all("functions"),
      workers = all("workers"),
      workersPerFunction = all("workersPerFunction"),
      workflows = all("workflows"),
      tasks = all("tasks"),
      invocations = all("invocations"),
      inFlight = all("inFlight"),
      generationBits = all("generationBits"),
      tickCycles = all("tickCycles"),
    )
  }
}
