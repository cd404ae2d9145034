/**
 * **What it does.** Runs test files in workers of jest whose modules are shared (`runtime.ts`). A file that changes its
 * process beyond any teardown says so in its first comment, with the reason: `@own-process replaces the DNS servers`.
 * Such files run first, each in its own worker. The files of the shared platform are next (`platform-of-run.ts`).
 *
 * **Guarantees.** Every test runs in a worker, with `-i` in one. A worker above `workerIdleMemoryLimit` is replaced
 * between two files. An open handle ends with its worker. The files that take long begin first. Within these groups the
 * order is random: the same for the same files and the same `--seed`.
 *
 * **Not guaranteed.** The same times: files of other workers run meanwhile.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { relative } from 'node:path'
import { readMarker } from '@payments/devkit/tests/markers'
import type * as Jest from 'jest-runner'
import { startPlatformFor, usesPlatform } from './platform-of-run.ts'
import { shuffle } from './shuffle.ts'

const { default: JestRunner } = createRequire(import.meta.url)('jest-runner') as typeof Jest.default

/**
 * Imports of a test file that takes long: it tests every endpoint of a contract, or starts a platform, servers, a
 * browser or other processes, also by a folder beside it, or waits until deliveries are dead.
 */
const takesLong =
  /from '(node:child_process|@payments\/testing\/(suites\/bad-input|platform\/|peers\/browser)|\.\/([\w-]+\/|(queue|dead-letter)-world\.ts))/

type Runner = InstanceType<typeof JestRunner>

export default class SharedModulesRunner {
  readonly supportsEventEmitters = true
  readonly #shared: Runner
  readonly #alone: Runner
  readonly #sort: (tests: readonly Jest.Test[]) => Jest.Test[]

  constructor(globalConfig: Jest.Config.GlobalConfig, context: Jest.TestRunnerContext) {
    const { rootDir, seed } = globalConfig
    this.#sort = (tests) => shuffle(tests, ({ path }) => relative(rootDir, path), seed)
    this.#shared = new JestRunner(globalConfig, context)
    // With the limit 0, jest replaces a worker after each file.
    this.#alone = new JestRunner({ ...globalConfig, workerIdleMemoryLimit: 0 }, context)
  }

  async runTests(given: readonly Jest.Test[], watcher: Jest.TestWatcher): Promise<void> {
    const tests = this.#sort(given)
    const alone = tests.filter(({ path }) => readMarker(path, '@own-process') !== null)
    const shared = tests.filter((test) => !alone.includes(test))
    const onPlatform = shared.filter(usesPlatform)
    const others = longestFirst(shared.filter((test) => !onPlatform.includes(test)))
    const inWorkers = { serial: false }
    const starting = startPlatformFor(onPlatform)
    if (alone.length > 0) await this.#alone.runTests(alone, watcher, inWorkers)
    const platform = await starting
    const ends = [
      this.#shared.on('test-file-success', ([{ path }]) => platform.fileEnded(path)),
      this.#shared.on('test-file-failure', ([{ path }]) => platform.fileEnded(path)),
    ]
    try {
      if (shared.length > 0) await this.#shared.runTests([...onPlatform, ...others], watcher, inWorkers)
    } finally {
      for (const end of ends) end()
      await platform.stop()
    }
  }

  on: Runner['on'] = (name, listener) => {
    const ends = [this.#shared, this.#alone].map((runner) => runner.on(name, listener))
    return () => {
      for (const end of ends) end()
    }
  }
}

/** A long file that begins last leaves the other workers idle. */
function longestFirst(tests: readonly Jest.Test[]): Jest.Test[] {
  const long = tests.filter(({ path }) => takesLong.test(readFileSync(path, 'utf8')))
  return [...long, ...tests.filter((test) => !long.includes(test))]
}
