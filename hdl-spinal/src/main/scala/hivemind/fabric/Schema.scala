package hivemind.fabric

/** One hard parameter of an engine: an integer, with every value it may take. */
case class Parameter(name: String, default: Int, values: Seq[Int], unit: String, doc: String) {
  require(values.contains(default), s"$name: its default $default is not allowed")

  private val step: Option[Int] = {
    val steps = values.zip(values.drop(1)).map { case (a, b) => b - a }.distinct
    if (steps.size == 1) steps.headOption else None
  }

  /** The values in words. */
  val limits: String = step match {
    case _ if values.size == 1 => s"${values.head}"
    case Some(1)               => s"from ${values.head} to ${values.last}"
    case Some(n)               => s"a multiple of $n from ${values.head} to ${values.last}"
    case None                  => s"one of ${values.mkString(", ")}"
  }

  def check(value: Int): Unit = require(values.contains(value), s"$name must be $limits, not $value")

  def json: String =
    s"""{"name":"$name","default":$default,"values":[${values.mkString(",")}],"unit":"$unit","limits":"$limits","doc":"$doc"}"""
}

/** The hard parameters of an engine. */
case class Schema(parameters: Seq[Parameter], engine: String = "distil") {
  val defaults: Map[String, Int] = parameters.map(p => p.name -> p.default).toMap

  /** The same settings, or an error that names those which no parameter has. */
  def known(settings: Map[String, Int]): Map[String, Int] = {
    val unknown = settings.keySet -- defaults.keySet
    val names = parameters.map(_.name).mkString(", ")
    require(unknown.isEmpty, s"$engine has no parameter ${unknown.mkString(", ")}; it has $names")
    settings
  }

  def check(settings: Map[String, Int]): Unit = parameters.foreach(p => p.check(settings(p.name)))

  def json: String = parameters.map(_.json).mkString("[\n  ", ",\n  ", "\n]\n")
}
