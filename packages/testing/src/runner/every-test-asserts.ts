/** Fails each test that ends without an assertion: it could not fail. */
import { beforeEach, expect } from '@jest/globals'

beforeEach(() => expect.hasAssertions())
