package hivemind.fabric.top

import hivemind.fabric.dispatch.DispatchParameters
import hivemind.fabric.distil.DistilParameters
import hivemind.fabric.rmem.RmemParameters
import hivemind.fabric.rpc.{Protocol, RpcParameters}
import hivemind.fabric.{Parameter, Schema}

/** What a fabric is built with: the engines that it has, and what each of them and the shell around them are built with. */
case class FabricParameters(
    distil: Option[DistilParameters] = None,
    dispatch: Option[DispatchParameters] = None,
    rmem: Option[RmemParameters] = None,
    rpc: Option[RpcParameters] = None,
    memoryKiB: Int = 64,
) {
  require(distil.isDefined || dispatch.isDefined || rmem.isDefined || rpc.isDefined, "a fabric has at least one engine")
  require(rpc.isEmpty || rmem.isDefined, "rpc needs rmem: its rings are in the memory that rmem serves")
  for (each <- rpc; memory <- rmem)
    require(each.widthBytes == memory.widthBytes, s"rpc.widthBytes must be ${memory.widthBytes}, as the memory has, not ${each.widthBytes}")
  FabricParameters.shell.check(Map("memoryKiB" -> memoryKiB))

  /** The UDP ports of the engines. */
  val ports: Seq[Int] =
    dispatch.toSeq.flatMap(_ => Seq(FabricParameters.requestsPort, FabricParameters.completionsPort)) ++
      rmem.map(_ => FabricParameters.rmemPort)

  /** The UDP ports of engines that take whole frames. */
  val framePorts: Seq[Int] = rpc.map(_ => Protocol.Port).toSeq
}

object FabricParameters {
  val requestsPort: Int = 4900
  val completionsPort: Int = 4901
  val rmemPort: Int = 4902

  /** The parameters of the shell. */
  val shell: Schema = Schema(
    Seq(Parameter("memoryKiB", 64, Seq(16, 32, 64, 128), "KiB", "memory of the fabric that rmem serves, and that holds the rings of rpc")),
    "shell",
  )
  private val schemas = Seq(shell, DistilParameters.schema, DispatchParameters.schema, RmemParameters.schema, RpcParameters.schema)

  /** The engines that a fabric may have. */
  val engines: Seq[String] = schemas.tail.map(_.engine)

  /** All parameters by their engines. */
  def json: String = schemas.map(each => s""""${each.engine}": ${each.json.trim}""").mkString("{\n", ",\n", "\n}\n")

  /** A fabric of these engines, with settings named `engine.parameter`; those that are not named have their defaults. */
  def of(chosen: Set[String], settings: Map[String, Int]): FabricParameters = {
    val unknown = chosen -- engines
    require(unknown.isEmpty, s"there is no engine ${unknown.mkString(", ")}; there are ${engines.mkString(", ")}")
    val parts = settings.groupBy(_._1.takeWhile(_ != '.'))
    val foreign = parts.keySet -- chosen - "shell"
    require(foreign.isEmpty, s"parameters are named engine.parameter, with an engine of the fabric, not ${foreign.mkString(", ")}")
    def own(engine: String): Map[String, Int] =
      parts.getOrElse(engine, Map()).map { case (name, value) => name.drop(engine.length + 1) -> value }
    def chosenOne[T](engine: String, make: Map[String, Int] => T): Option[T] =
      if (chosen.contains(engine)) Some(make(own(engine))) else None
    FabricParameters(
      chosenOne("distil", DistilParameters.of),
      chosenOne("dispatch", DispatchParameters.of),
      chosenOne("rmem", RmemParameters.of),
      chosenOne("rpc", RpcParameters.of),
      (shell.defaults ++ shell.known(own("shell")))("memoryKiB"),
    )
  }
}
