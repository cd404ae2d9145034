/**
 * node scripts/texts/generate.mjs: writes what compiling needs and git does not have, in a clone with its dependencies.
 */
import { generate, run } from '../bootstrap.mjs'

await run(() => generate())
