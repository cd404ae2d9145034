/**
 * **What it does.** Loads test files with the modules of the worker: Node loads a module once per worker and removes
 * the types itself. jest's own runtime loads every module again for each test file.
 *
 * **Participants.** jest (workers, `-t`, time-outs, console, results, reporters), for which this class stands in the
 * place of jest-runtime; `environment.ts`, which puts globals back; `runner.ts`, which gives some files a worker of
 * their own.
 *
 * **Guarantees.** Hooks, tests and `expect` state belong to one file: jest-circus is loaded again for each. Positions
 * in failures are positions in the source.
 *
 * **Not guaranteed.** State in a module outlives a file, and so does what a test changes in the process beyond
 * `environment.ts`. Modules cannot be mocked.
 */
import nodeModule, { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { Config } from 'jest-runner'
import { coverageSince, startCoverage } from './coverage.ts'
import type WorkerEnvironment from './environment.ts'
import { afterAll, setGlobals, type TestGlobals } from './globals.ts'
import { jestObject, timeoutSymbol } from './jest-object.ts'

const globals = new URL('./globals.ts', import.meta.url).href
/** Where jest-circus keeps its handlers. */
const handlersSymbol = Symbol.for('EVENT_HANDLERS')

interface ResolveContext {
  readonly conditions: readonly string[]
}
type Resolve = (specifier: string, context: ResolveContext) => { url: string; shortCircuit?: boolean }
const { registerHooks } = nodeModule as unknown as {
  registerHooks(hooks: { resolve: (...args: [...Parameters<Resolve>, next: Resolve]) => ReturnType<Resolve> }): void
}

/** A test may have replaced the global one. */
const setTimeoutOfNode = globalThis.setTimeout

let isHooked = false
let printing: typeof Error.prepareStackTrace
let setUps = 0

export default class SharedRuntime {
  readonly #config: Config.ProjectConfig
  readonly #environment: WorkerEnvironment
  readonly #testPath: string
  #coverage: unknown[] = []

  constructor(
    config: Config.ProjectConfig,
    environment: WorkerEnvironment,
    _resolver: unknown,
    _transformer: unknown,
    _files: unknown,
    _coverage: unknown,
    testPath: string,
  ) {
    this.#config = config
    this.#environment = environment
    this.#testPath = testPath
    hookResolution(config)
    Reflect.deleteProperty(globalThis, timeoutSymbol)
  }

  /** Of jest-circus, whose hooks and tests belong to one file. */
  requireInternalModule(path: string): unknown {
    printPathsInStacks()
    Reflect.deleteProperty(globalThis, handlersSymbol)
    const load = createRequire(path)
    delete load.cache[path]
    return load(path)
  }

  requireModule(path: string): unknown {
    return createRequire(path)(path)
  }

  setGlobalsForRuntime(testGlobals: TestGlobals): void {
    setGlobals(testGlobals, jestObject(this.#environment))
  }

  unstable_shouldLoadAsEsm(): boolean {
    return true
  }

  /** A set-up file runs again for each test file, by a URL that the worker has not loaded. */
  async unstable_importModule(path: string): Promise<void> {
    const { href } = pathToFileURL(path)
    if (path !== this.#testPath) return import(`${href}?${setUps++}`)
    await import(href)
    // The last hook: Node reports a rejection that nothing handles one turn of the event loop later.
    afterAll(() => new Promise((resolve) => setTimeoutOfNode(resolve, 0)))
  }

  async collectV8Coverage(): Promise<void> {
    await startCoverage()
  }

  async stopCollectingV8Coverage(): Promise<void> {
    this.#coverage = await coverageSince(this.#config.rootDir)
  }

  getAllV8CoverageInfoCopy(): unknown[] {
    return this.#coverage
  }

  getAllCoverageInfoCopy(): undefined {}

  /** Node removes types without moving anything. */
  getSourceMaps(): null {
    return null
  }

  enterTestCode(): void {}

  leaveTestCode(): void {}

  resetModules(): void {}

  clearAllMocks(): void {
    this.#environment.moduleMocker.clearAllMocks()
  }

  resetAllMocks(): void {
    this.#environment.moduleMocker.resetAllMocks()
  }

  restoreAllMocks(): void {
    this.#environment.moduleMocker.restoreAllMocks()
  }

  teardown(): void {}
}

/** Modules have URLs; jest recognizes the files of a stack by their paths. jest sets its function once per worker. */
function printPathsInStacks(): void {
  const prepare = Error.prepareStackTrace
  if (prepare === undefined || prepare === printing) return
  printing = (error, frames) => String(prepare(error, frames)).replaceAll('file:///', '/')
  Error.prepareStackTrace = printing
}

/** Node resolves `@jest/globals` to ours, and packages by the conditions of the configuration. */
function hookResolution({ testEnvironmentOptions }: Config.ProjectConfig): void {
  if (isHooked) return
  isHooked = true
  const { customExportConditions = [] } = testEnvironmentOptions as { customExportConditions?: string[] }
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === '@jest/globals'
        ? { url: globals, shortCircuit: true }
        : next(specifier, { ...context, conditions: [...context.conditions, ...customExportConditions] }),
  })
}
