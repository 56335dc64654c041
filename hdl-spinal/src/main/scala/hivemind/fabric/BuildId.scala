package hivemind.fabric

import spinal.core._

/** The identity of a build, which only the build itself knows: it writes its own over the 0 of this module. */
class BuildId extends Component {
  val value = out Bits (32 bits)
  value := 0
}

object BuildId {
  def apply(): Bits = new BuildId().value
}
