/** npm run payctl -- <command>: the operators' command line against the platform that npm start runs here. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bootstrap, root, run } from '../bootstrap.mjs'
import { inPlace } from '../processes.mjs'

await run(async () => {
  const entry = join(root, 'packages', 'payctl', 'dist', 'main.js')
  // Standard output may be parsed, so messages go to standard error.
  if (!existsSync(entry)) await bootstrap({ say: console.error })
  const file = join(root, '.data', 'dev', 'payctl.json')
  const addresses = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  if (!existsSync(file))
    console.error('npm start has not run here yet, so payctl knows only the addresses in its environment.')
  const env = { ...addresses, ...process.env }
  return inPlace(process.execPath, [entry, ...process.argv.slice(2)], { env })
})
