// Keeps the verdict of `npm run hdl:test`, its first argument, with the builds of the hardware's sources as they are.
import { FabricCache } from '../libs/fabric/src/cache.ts'
import { Toolchain } from '../libs/fabric/src/tools.ts'
import { writeVerdict } from '../libs/fabric/src/verdict.ts'

writeVerdict(new FabricCache(), new Toolchain().generatorHash(), JSON.parse(process.argv[2]))
