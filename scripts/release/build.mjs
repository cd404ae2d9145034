/** npm run build: installs, generates and compiles. */
import { bootstrap, run } from '../bootstrap.mjs'

await run(() => bootstrap())
