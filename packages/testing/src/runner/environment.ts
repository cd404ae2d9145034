/**
 * The environment of a test file: the globals of the worker itself, where jest's own makes a context per file. At the
 * end of the file, what a test may have left changed is put back: spies, the clock, the console, `process.exit` and the
 * environment variables.
 */
import { ModernFakeTimers } from '@jest/fake-timers'
import { ModuleMocker } from 'jest-mock'
import type { Config } from 'jest-runner'

interface EnvironmentConfig {
  readonly projectConfig: Config.ProjectConfig
}

export default class WorkerEnvironment {
  readonly global = globalThis
  readonly moduleMocker = new ModuleMocker(globalThis)
  readonly fakeTimersModern: ModernFakeTimers
  readonly fakeTimers = null
  readonly #environment = { ...process.env }
  readonly #console = globalThis.console
  readonly #exit = process.exit

  constructor({ projectConfig }: EnvironmentConfig) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis })
  }

  async setup(): Promise<void> {}

  async teardown(): Promise<void> {
    this.moduleMocker.restoreAllMocks()
    this.fakeTimersModern.dispose()
    globalThis.console = this.#console
    process.exit = this.#exit
    process.exitCode = undefined
    for (const name of Object.keys(process.env)) {
      if (!(name in this.#environment)) delete process.env[name]
    }
    Object.assign(process.env, this.#environment)
  }

  exportConditions(): string[] {
    return []
  }

  /** jest checks whether there is a context. */
  getVmContext(): null {
    return null
  }
}
