package hivemind.fabric

import spinal.core._
import spinal.core.sim._
import spinal.sim.SimManager

import java.nio.channels.{FileChannel, FileLock}
import java.nio.file.{Files, Path, StandardOpenOption}
import java.util.regex.Matcher.quoteReplacement
import scala.util.Random
import scala.util.matching.Regex

/** Simulation models whose memories behave as the block RAM of the device does with Yosys' `-no-rw-check`: a row that is read in the
  * cycle in which it is written gives junk.
  */
object Models {

  /** Where models are compiled: a folder for each process, as suites run beside each other and may simulate the same component. */
  private val workspace = s"target/sim/${ProcessHandle.current.pid}"

  /** A folder for what is generated, which goes when the tests are run again. */
  def folder(name: String): Path = Files.createTempDirectory(Files.createDirectories(Path.of("target/models")), name)

  /** A model of what SpinalHDL has generated, as it stands. */
  def compiled[T <: Component](report: SpinalReport[T]): Model[T] =
    new Model(SimConfig.withVerilator.workspacePath(workspace).compile(report))

  def compile[T <: Component](dut: => T): Model[T] = {
    val made = folder("model")
    val report = SpinalConfig(targetDirectory = made.toString).generateVerilog(dut)
    val file = made.resolve(s"${report.toplevelName}.v")
    Files.writeString(file, withJunk(Files.readString(file)))
    compiled(report)
  }

  /** The Verilog with every clocked read of a memory inverted in a cycle in which the same row is written, by the same clock. */
  def withJunk(verilog: String): String =
    module.replaceAllIn(verilog, found => quoteReplacement(withJunkInModule(found.matched)))

  private val module = "(?ms)^module .*?^endmodule".r
  private val memories = raw"reg +(?:\[[^\]]+\] +)?(\w+) *\[0:\d+\]".r
  private val blocks = raw"(?ms)^  always @\(posedge (\w+)\) begin\n.*?^  end$$".r

  private case class Write(clock: String, condition: String, memory: String, address: String)

  private def withJunkInModule(text: String): String = {
    val names = memories.findAllMatchIn(text).map(_.group(1)).toSet
    def isMemory(found: Regex.Match, group: Int): Boolean = names.contains(found.group(group))
    val write = raw"if\((.*)\) begin\n +(\w+)\[(\w+)\] <= ".r
    val writes = for (block <- blocks.findAllMatchIn(text).toSeq; found <- write.findAllMatchIn(block.matched) if isMemory(found, 2))
      yield Write(block.group(1), found.group(1), found.group(2), found.group(3))
    val read = raw"(\w+) <= (\w+)\[(\w+)\];".r
    blocks.replaceAllIn(
      text,
      block =>
        quoteReplacement(read.replaceAllIn(
          block.matched,
          found => {
            val Seq(target, memory, address) = found.subgroups
            val collisions = for (write <- writes if write.clock == block.group(1) && write.memory == memory)
              yield s"((${write.condition}) && ${write.address} == $address)"
            if (collisions.isEmpty) quoteReplacement(found.matched)
            else quoteReplacement(s"$target <= (${collisions.mkString(" || ")}) ? ~$memory[$address] : $memory[$address];")
          },
        )),
    )
  }
}

/** A compiled simulation. Its threads, of which one works at a time, stay on the core of this process. */
class Model[T <: Component](compiled: SimCompiled[T]) {
  def doSim(name: String, seed: Int = Random.nextInt())(body: T => Unit): Unit = {
    SimManager.cpuAffinity = Core.own
    compiled.doSim(name, seed)(body)
  }
}

private object Core {

  /** A core that no other process of these tests has: its lock says so until this one ends. None where all are taken. */
  private lazy val lock: Option[(Int, FileLock)] = {
    val folder = Files.createDirectories(Path.of("target/cores"))
    val locks = for (core <- (0 until SimManager.cpuCount).iterator) yield {
      val file = FileChannel.open(folder.resolve(core.toString), StandardOpenOption.CREATE, StandardOpenOption.WRITE)
      core -> file.tryLock()
    }
    locks.find { case (_, lock) => lock != null }
  }
  def own: Int = lock.fold(0)(_._1)
}
