/**
 * npm run promises [-- COMPONENT…] prints what the tests promise: the titles of all tests, or of the tests of
 * components, by noun. docs/promises.md explains the list.
 */
import { bootstrap, run } from '../bootstrap.mjs'

await run(async () => {
  // The dependencies are needed, and only the code of this command: the smallest package is compiled.
  await bootstrap({ only: 'packages/contracts' })
  const { testFiles } = await import('./promises/files.mjs')
  const { countPromises, renderPage } = await import('./promises/page.mjs')
  const files = testFiles()
  const components = [...new Set(files.map(({ component }) => component))]
  const chosen = process.argv.slice(2)
  if (!chosen.every((name) => components.includes(name))) {
    console.error(`Usage: npm run promises [-- COMPONENT…]\nComponents: ${components.join(', ')}`)
    return 2
  }
  const printed = files.filter(({ component }) => chosen.length === 0 || chosen.includes(component))
  console.log(renderPage(printed))
  console.log(`${countPromises(printed.flatMap(({ parts }) => parts))} promises in ${printed.length} files`)
})
