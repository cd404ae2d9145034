/** V8's coverage of the modules of a worker, for `--coverage` with the provider `v8`. */
import { type Profiler, Session } from 'node:inspector/promises'
import { sep } from 'node:path'
import { fileURLToPath } from 'node:url'

let session: Session | undefined

/** Counts from here on. A module that an earlier file loaded counts what is called in it, not that it was loaded. */
export async function startCoverage(): Promise<void> {
  if (session === undefined) {
    session = new Session()
    session.connect()
    await session.post('Profiler.enable')
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  }
  await session.post('Profiler.takePreciseCoverage')
}

/** Of our own source files, in the form that the reporters of jest read. */
export async function coverageSince(rootDir: string): Promise<{ result: Profiler.ScriptCoverage }[]> {
  if (session === undefined) return []
  const { result } = await session.post('Profiler.takePreciseCoverage')
  return result
    .filter(({ url }) => url.startsWith('file:'))
    .map((script) => ({ result: { ...script, url: fileURLToPath(script.url) } }))
    .filter(({ result: { url } }) => url.startsWith(rootDir) && url.includes(`${sep}src${sep}`))
    .filter(({ result: { url } }) => !url.includes(`${sep}node_modules${sep}`))
}
