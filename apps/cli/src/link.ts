/** The option `--link`: the shape of the link between devices and service. */
import { LinkError, type LinkShape, parseLink } from '@hivemind/deploy'
import { InvalidArgumentError } from 'commander'

/** What `--link` may say, for help texts. */
export const linkHelp =
  "the link between agents and cloud, RATE[,DELAY][,LOSS][,shared|own], such as '54mbit,2ms,0.1%': one access point whose air all share, or with 'own' a line for each agent"

/** Reads a `--link` option. */
export function link(text: string): LinkShape {
  try {
    return parseLink(text)
  } catch (error) {
    if (error instanceof LinkError) throw new InvalidArgumentError(error.message)
    throw error
  }
}
