/**
 * npm run console: serves the console from its sources at http://127.0.0.1:5180/console/, with the API of the gateway
 * of npm start (or of CONSOLE_GATEWAY_URL). A saved file shows at once.
 */
import { join } from 'node:path'
import { prepare, root, run } from '../bootstrap.mjs'
import { endingBySignals, visibly } from '../processes.mjs'

await run(async () => {
  await prepare()
  const directory = join(root, 'packages', 'console')
  return endingBySignals(() => visibly(join(directory, 'node_modules', '.bin', 'vite'), [], { cwd: directory }))
})
