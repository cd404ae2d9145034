import { createSecretKey, randomBytes } from 'node:crypto'

/** The keys of the hashes of erased payers, for the world of one test. */
export const payerHashKeysOfTest = () => ({
  keys: new Map([['test', createSecretKey(randomBytes(32))]]),
  current: 'test',
})
