import type WorkerEnvironment from './environment.ts'
import type { JestObject } from './globals.ts'

/** jest-circus reads the time-out of tests here. */
export const timeoutSymbol = Symbol.for('TEST_TIMEOUT_SYMBOL')

/** `jest` for the test files of one environment. It mocks functions and the clock, and no modules. */
export function jestObject({ moduleMocker, fakeTimersModern: timers }: WorkerEnvironment): JestObject {
  const chained = (work: () => void) => {
    work()
    return jest as unknown as ReturnType<JestObject['useRealTimers']>
  }
  const jest: JestObject = {
    advanceTimersByTime: (ms) => timers.advanceTimersByTime(ms),
    advanceTimersByTimeAsync: (ms) => timers.advanceTimersByTimeAsync(ms),
    clearAllMocks: () => chained(() => moduleMocker.clearAllMocks()),
    fn: moduleMocker.fn.bind(moduleMocker),
    getTimerCount: () => timers.getTimerCount(),
    mocked: moduleMocker.mocked.bind(moduleMocker),
    resetAllMocks: () => chained(() => moduleMocker.resetAllMocks()),
    restoreAllMocks: () => chained(() => moduleMocker.restoreAllMocks()),
    runAllTimers: () => timers.runAllTimers(),
    setSystemTime: (now) => timers.setSystemTime(now),
    setTimeout: (ms) => chained(() => void Reflect.set(globalThis, timeoutSymbol, ms)),
    spyOn: moduleMocker.spyOn.bind(moduleMocker),
    useFakeTimers: (config) =>
      chained(() => timers.useFakeTimers(config as Parameters<typeof timers.useFakeTimers>[0])),
    useRealTimers: () => chained(() => timers.useRealTimers()),
  }
  return jest
}
