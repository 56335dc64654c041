// Resolvers come from the environment (sbt's own default, or the user's ~/.sbt/repositories): none is named here.
ThisBuild / scalaVersion := "2.13.18"
ThisBuild / organization := "hivemind"

val spinalVersion = "1.14.2"
// Suites beside each other: up to 2 GB each.
Global / concurrentRestrictions := Seq(
  Tags.limit(Tags.ForkedTestGroup, math.min(4, java.lang.Runtime.getRuntime.availableProcessors))
)

lazy val fabric = (project in file("."))
  .settings(
    name := "hivemind-fabric",
    libraryDependencies ++= Seq(
      "com.github.spinalhdl" %% "spinalhdl-core" % spinalVersion,
      "com.github.spinalhdl" %% "spinalhdl-lib" % spinalVersion,
      "com.github.spinalhdl" %% "spinalhdl-sim" % spinalVersion,
      compilerPlugin("com.github.spinalhdl" %% "spinalhdl-idsl-plugin" % spinalVersion),
      "org.scalatest" %% "scalatest" % "3.2.19" % Test,
      "com.lihaoyi" %% "ujson" % "4.0.2" % Test,
    ),
    scalacOptions ++= Seq("-deprecation", "-feature", "-Xlint:unused"),
    // A simulation loads native code once per process and holds one Verilator model per suite: each suite has a process of its own.
    fork := true,
    javaOptions += "-Xmx2g",
    Test / testGrouping := {
      val options = (Test / forkOptions).value
      // the quick tests leave out those that plant bugs, which show that the others would find them
      val isQuick = sys.env.get("HIVEMIND_HDL_QUICK").exists(_.nonEmpty)
      val suites = (Test / definedTests).value.filterNot(suite => isQuick && suite.name.matches(".*(Planted|Bugs).*"))
      // the longest first
      val ordered = suites.sortBy(suite => !suite.name.contains("Rpc"))
      ordered.map(suite => Tests.Group(suite.name, Seq(suite), Tests.SubProcess(options)))
    },
  )
