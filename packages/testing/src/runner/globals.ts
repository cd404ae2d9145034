/**
 * `@jest/globals` of the test files. The bindings are live: jest makes its functions again for each test file, and a
 * module that was loaded for an earlier file sees the functions of the current one.
 */
import type * as Globals from '@jest/globals'

/** The part of the jest object that needs no own module registry. */
export type JestObject = Pick<
  typeof Globals.jest,
  | 'advanceTimersByTime'
  | 'advanceTimersByTimeAsync'
  | 'clearAllMocks'
  | 'fn'
  | 'getTimerCount'
  | 'mocked'
  | 'resetAllMocks'
  | 'restoreAllMocks'
  | 'runAllTimers'
  | 'setSystemTime'
  | 'setTimeout'
  | 'spyOn'
  | 'useFakeTimers'
  | 'useRealTimers'
>

export type TestGlobals = Pick<
  typeof Globals,
  'afterAll' | 'afterEach' | 'beforeAll' | 'beforeEach' | 'describe' | 'expect' | 'it' | 'test'
>

export let afterAll: TestGlobals['afterAll']
export let afterEach: TestGlobals['afterEach']
export let beforeAll: TestGlobals['beforeAll']
export let beforeEach: TestGlobals['beforeEach']
export let describe: TestGlobals['describe']
export let expect: TestGlobals['expect']
export let it: TestGlobals['it']
export let test: TestGlobals['test']
export let jest: JestObject

export function setGlobals(globals: TestGlobals, jestObject: JestObject): void {
  ;({ afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } = globals)
  jest = jestObject
}
