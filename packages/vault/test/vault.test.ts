import { randomUUID } from 'node:crypto'
import { describe, expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import { localProvider } from '../src/local-provider.ts'
import { type Binding, createVault } from '../src/vault.ts'
import { VaultError } from '../src/vault-error.ts'
import { memoryStore, ringOf } from './stores.ts'

function world(cachedMax = 100) {
  const keys = ringOf('a', 'b')
  const store = memoryStore()
  const provider = localProvider({ keys, current: 'a' })
  return { keys, store, provider, vault: createVault({ provider, dataKeys: store, cachedMax }) }
}

const binding = (changes: Partial<Binding> = {}): Binding => ({
  purpose: 'test.secret',
  tenantId: '0190aaaa-0000-7000-8000-000000000001',
  recordId: '0190aaaa-0000-7000-8000-000000000002',
  ...changes,
})

const secrets = fc.string({ minLength: 1, maxLength: 200, unit: 'grapheme' })

describe('seal and open', () => {
  test('gives any secret back, and its bytes nowhere hold it in clear', async () => {
    const { vault } = world()
    await fc.assert(
      fc.asyncProperty(secrets, async (secret) => {
        const sealed = await vault.seal(binding(), secret)
        expect(await vault.open(binding(), sealed)).toBe(secret)
        if (secret.length > 8) expect(Buffer.from(sealed).includes(secret)).toBe(false)
      }),
    )
  })

  test('the same secret is sealed differently each time', async () => {
    const { vault } = world()
    const sealed = await Promise.all(Array.from({ length: 20 }, () => vault.seal(binding(), 'same')))
    expect(new Set(sealed.map((bytes) => Buffer.from(bytes).toString('hex'))).size).toBe(20)
  })

  test.each([
    ['another purpose', { purpose: 'test.other' }],
    ['another record', { recordId: randomUUID() }],
    ['another tenant', { tenantId: randomUUID() }],
  ])('does not open for %s', async (_, changes) => {
    const { vault } = world()
    const sealed = await vault.seal(binding(), 'secret')
    await vault.seal(binding(changes), 'theirs')
    await expect(vault.open(binding(changes), sealed)).rejects.toThrow(VaultError)
  })

  test("does not open for another tenant even where that tenant's table holds a copy of the data key's row", async () => {
    const { vault, store } = world()
    const sealed = await vault.seal(binding(), 'secret')
    const [row] = store.rows
    const thief = randomUUID()
    if (row !== undefined) store.rows.push({ ...row, tenantId: thief })
    await expect(vault.open(binding({ tenantId: thief }), sealed)).rejects.toThrow('does not authenticate')
  })

  test('is bound to its tenant by the vault itself, though the provider would unwrap the data key for anybody', async () => {
    const { store, provider } = world()
    const nobody = { tenantId: '', dataKeyId: '' }
    const lax = {
      ...provider,
      wrap: (key: Buffer) => provider.wrap(key, nobody),
      unwrap: (kekId: string, wrapped: Uint8Array) => provider.unwrap(kekId, wrapped, nobody),
    }
    const vault = createVault({ provider: lax, dataKeys: store })
    const sealed = await vault.seal(binding(), 'secret')
    const thief = randomUUID()
    store.rows.push(...store.rows.map((row) => ({ ...row, tenantId: thief })))
    expect(await vault.open(binding(), sealed)).toBe('secret')
    await expect(vault.open(binding({ tenantId: thief }), sealed)).rejects.toThrow('does not authenticate')
  })

  test('the parts of a binding cannot run into each other', async () => {
    const { vault } = world()
    const sealed = await vault.seal(binding({ purpose: 'a","b', recordId: 'c' }), 'secret')
    await expect(vault.open(binding({ purpose: 'a', recordId: 'b","c' }), sealed)).rejects.toThrow(VaultError)
  })

  test('a flipped bit anywhere, the version and the key id included, does not open', async () => {
    const { vault } = world()
    const sealed = await vault.seal(binding(), 'a secret of some length')
    await fc.assert(
      fc.asyncProperty(fc.nat(sealed.length - 1), fc.nat(7), async (at, bit) => {
        const flipped = Buffer.from(sealed)
        flipped[at] = flipped.readUInt8(at) ^ (1 << bit)
        await expect(vault.open(binding(), flipped)).rejects.toThrow(VaultError)
      }),
      { numRuns: 300 },
    )
  })

  test('what was cut short, lengthened or emptied does not open', async () => {
    const { vault } = world()
    const sealed = await vault.seal(binding(), 'secret')
    for (let length = 0; length < sealed.length; length += 1) {
      await expect(vault.open(binding(), sealed.subarray(0, length))).rejects.toThrow(VaultError)
    }
    await expect(vault.open(binding(), Buffer.concat([sealed, Buffer.from([0])]))).rejects.toThrow(VaultError)
  })

  test('what does not open is counted, a data key that does not unwrap too; that the database is away is not', async () => {
    const { store, provider } = world()
    const meters = { unopened: jest.fn() }
    const vault = createVault({ provider, dataKeys: store, meters })
    const sealed = await vault.seal(binding(), 'secret')
    expect(await vault.open(binding(), sealed)).toBe('secret')
    await expect(vault.open(binding(), sealed.subarray(1))).rejects.toThrow(VaultError)
    await expect(vault.open(binding({ recordId: randomUUID() }), sealed)).rejects.toThrow(VaultError)
    expect(meters.unopened).toHaveBeenCalledTimes(2)
    const stranger = createVault({
      provider: localProvider({ keys: ringOf('z'), current: 'z' }),
      dataKeys: store,
      meters,
    })
    await expect(stranger.rewrap(store.rows[0] as never)).rejects.toThrow(VaultError)
    expect(meters.unopened).toHaveBeenCalledTimes(3)
    const away = { ...store, find: () => Promise.reject(new Error('away')) }
    await expect(createVault({ provider, dataKeys: away, meters }).open(binding(), sealed)).rejects.toThrow('away')
    expect(meters.unopened).toHaveBeenCalledTimes(3)
  })

  test.each([
    ['empty', ''],
    ['larger than 64 KiB', 'x'.repeat(64 * 1024 + 1)],
    ['not well-formed', 'a\ud800'],
  ])('refuses to seal a secret that is %s', async (_, secret) => {
    await expect(world().vault.seal(binding(), secret)).rejects.toThrow(VaultError)
  })
})

describe('data keys', () => {
  test('each tenant has its own, wrapped under the current key-encryption key', async () => {
    const { vault, store } = world()
    const tenants = [randomUUID(), randomUUID()]
    for (const tenantId of tenants) {
      await vault.seal(binding({ tenantId }), 'one')
      await vault.seal(binding({ tenantId }), 'two')
    }
    expect(store.rows.map(({ tenantId, kekId }) => ({ tenantId, kekId }))).toEqual(
      tenants.map((tenantId) => ({ tenantId, kekId: 'a' })),
    )
  })

  test('first uses at once, in two processes, agree on one', async () => {
    const { provider, store, vault } = world()
    const other = createVault({ provider, dataKeys: store })
    const sealed = await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? vault : other).seal(binding(), `secret ${i}`)),
    )
    expect(store.rows).toHaveLength(1)
    const fresh = createVault({ provider, dataKeys: store })
    for (const [i, bytes] of sealed.entries()) expect(await fresh.open(binding(), bytes)).toBe(`secret ${i}`)
  })

  test('one that is too old for a secret is followed by another, one for all who ask at once; both open', async () => {
    const { vault, store, provider } = world()
    const sealed = await vault.seal(binding(), 'secret')
    const since = new Date(Date.now() + 60_000)
    const other = createVault({ provider, dataKeys: store })
    const anew = await Promise.all([vault, other, vault, other].map((one) => one.reseal(binding(), sealed, since)))
    expect(store.rows).toHaveLength(2)
    expect(store.rows[1]?.createdAt.getTime()).toBeGreaterThanOrEqual(since.getTime())
    const keyOf = (bytes: Uint8Array) => Buffer.from(bytes.subarray(1, 17)).toString('hex')
    expect(new Set(anew.map(keyOf))).toEqual(new Set([store.rows[1]?.id.replaceAll('-', '')]))
    for (const bytes of [sealed, ...anew]) expect(await vault.open(binding(), bytes)).toBe('secret')
    expect(keyOf(await vault.seal(binding(), 'next'))).toBe(keyOf(anew[0] ?? sealed))
    await expect(vault.reseal(binding({ recordId: randomUUID() }), sealed, since)).rejects.toThrow(VaultError)
  })

  test('are unwrapped once and kept, so that sealing and opening ask nobody', async () => {
    const { vault, store } = world()
    const sealed = await vault.seal(binding(), 'secret')
    const before = { ...store.asked }
    await Promise.all(Array.from({ length: 20 }, () => vault.open(binding(), sealed)))
    await vault.seal(binding(), 'another')
    expect(store.asked).toEqual(before)
  })

  test('kept in memory are at most `cachedMax`', async () => {
    const { vault, store } = world(3)
    const tenants = Array.from({ length: 5 }, () => randomUUID())
    const sealed = []
    for (const tenantId of tenants) sealed.push(await vault.seal(binding({ tenantId }), tenantId))
    const opened = []
    for (const [i, tenantId] of tenants.entries()) {
      opened.push(await vault.open(binding({ tenantId }), sealed[i] ?? new Uint8Array()))
    }
    expect(opened).toEqual(tenants)
    expect(store.asked.find).toBe(5)
  })

  test('a load that failed is tried again', async () => {
    const { vault, store, provider } = world()
    const sealed = await vault.seal(binding(), 'secret')
    const rows = store.rows.splice(0)
    const fresh = createVault({ provider, dataKeys: store })
    await expect(fresh.open(binding(), sealed)).rejects.toThrow('no data key')
    store.rows.push(...rows)
    expect(await fresh.open(binding(), sealed)).toBe('secret')
  })
})

describe('key-encryption keys', () => {
  test('another key under the same id does not unwrap', async () => {
    const { vault, store } = world()
    const sealed = await vault.seal(binding(), 'secret')
    const stranger = createVault({
      provider: localProvider({ keys: ringOf('a'), current: 'a' }),
      dataKeys: store,
    })
    await expect(stranger.open(binding(), sealed)).rejects.toThrow(VaultError)
  })

  test('unwrap a data key for its tenant and its id, and for no other', async () => {
    const { provider } = world()
    const own = { tenantId: randomUUID(), dataKeyId: randomUUID() }
    const { kekId, wrapped } = await provider.wrap(Buffer.alloc(32, 1), own)
    expect(await provider.unwrap(kekId, wrapped, own)).toEqual(Buffer.alloc(32, 1))
    for (const other of [{ tenantId: randomUUID() }, { dataKeyId: randomUUID() }]) {
      await expect(provider.unwrap(kekId, wrapped, { ...own, ...other })).rejects.toThrow(VaultError)
    }
  })

  test('rewrap moves a data key to the current one: what it sealed opens without the old', async () => {
    const { keys, vault, store } = world()
    const sealed = await vault.seal(binding(), 'secret')
    const rotated = createVault({ provider: localProvider({ keys, current: 'b' }), dataKeys: store })
    const rewrapped = await Promise.all(store.rows.map((row) => rotated.rewrap(row)))
    expect(rewrapped.map((row) => row.kekId)).toEqual(['b'])
    expect(await rotated.rewrap(rewrapped[0] as never)).toBe(rewrapped[0])
    store.rows.splice(0, store.rows.length, ...rewrapped)
    const onlyB = new Map([...keys].filter(([id]) => id === 'b'))
    const later = createVault({ provider: localProvider({ keys: onlyB, current: 'b' }), dataKeys: store })
    expect(await later.open(binding(), sealed)).toBe('secret')
  })

  test('a row that names a key we do not have says so', async () => {
    const { store, vault } = world()
    const sealed = await vault.seal(binding(), 'secret')
    const other = createVault({ provider: localProvider({ keys: ringOf('c'), current: 'c' }), dataKeys: store })
    await expect(other.open(binding(), sealed)).rejects.toThrow('there is no key-encryption key a')
  })

  test('a current key that is not on the ring is refused at once', () => {
    expect(() => localProvider({ keys: ringOf('a'), current: 'z' })).toThrow(VaultError)
  })
})
