/** npm run reset: deletes the data of npm start. The work lives in packages/devkit. */
import { bootstrap, run } from '../bootstrap.mjs'

await run(async () => {
  await bootstrap({ only: 'packages/devkit' })
  const { reset } = await import('../../packages/devkit/dist/platform/reset.js')
  return reset()
})
