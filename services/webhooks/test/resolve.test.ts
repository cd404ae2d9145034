import { createServer } from 'node:http'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { lookupThrough } from '@payments/egress/resolve'
import { type DnsServer, dnsServer } from '@payments/testing/peers/dns-server'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { createDestinations } from '../src/egress/destinations.ts'
import { createSender } from '../src/egress/send.ts'

/** Name resolution by a local DNS server, over UDP. */
let dns: DnsServer
let endpoint: Receiver
const closes: (() => void)[] = []
beforeEach(async () => {
  ;[dns, endpoint] = await Promise.all([dnsServer(), receiver()])
})
afterEach(async () => {
  for (const close of closes.splice(0)) close()
  await Promise.all([dns.close(), endpoint.close()])
})

const six = '2606:4700:0:0:0:0:0:1111'

function createSend({ allowPrivate, totalTimeoutMs = 10_000 }: { allowPrivate: boolean; totalTimeoutMs?: number }) {
  const lookup = lookupThrough([dns.address])
  const limits = { totalTimeoutMs }
  const { send, close } = createSender({ allowPrivate, lookup, stop: new AbortController().signal, limits })
  closes.push(close)
  return (url: string) => send({ url, headers: {}, body: Buffer.from('{}') })
}

const destinations = () => createDestinations({ allowPrivate: false, lookup: lookupThrough([dns.address]) })

describe('a lookup', () => {
  test('finds the addresses of both families, or of the only one', async () => {
    dns.setAddresses('both.test', ['8.8.8.8', '8.8.4.4', six])
    dns.setAddresses('four.test', ['8.8.8.8'])
    dns.setAddresses('six.test', [six])
    const lookup = lookupThrough([dns.address])
    expect((await lookup('both.test')).sort()).toEqual(['2606:4700::1111', '8.8.4.4', '8.8.8.8'])
    expect(await lookup('four.test')).toEqual(['8.8.8.8'])
    expect(await lookup('six.test')).toEqual(['2606:4700::1111'])
  })

  test('of a missing name is a DNS failure, and of a silent server a timeout', async () => {
    expect(await createSend({ allowPrivate: true })('http://nowhere.test/')).toMatchObject({ errorKind: 'dns' })
    dns.setAddresses('silent.test')
    // The lookup itself ends after 3 s, with a DNS failure.
    const send = createSend({ allowPrivate: true, totalTimeoutMs: 200 })
    expect(await send('http://silent.test/')).toMatchObject({ errorKind: 'timeout' })
  })
})

describe('a destination before it is stored', () => {
  test.each([
    '10.0.0.7',
    '127.0.0.1',
    '169.254.169.254',
    'fd00:0:0:0:0:0:0:7',
    '64:ff9b:0:0:0:0:7f00:1',
    '2002:7f00:1:0:0:0:0:1',
  ])('is rejected when one of its addresses is %s, without naming the address', async (address) => {
    dns.setAddresses('hook.example.com', ['8.8.8.8', six, address])
    const violation = await destinations().findViolation('https://hook.example.com/')
    expect(violation).toBe('the host resolves to an address that is not public')
  })

  test('is accepted when all addresses are public or the name does not resolve yet', async () => {
    dns.setAddresses('hook.example.com', ['8.8.8.8', six])
    expect(await destinations().findViolation('https://hook.example.com/')).toBeUndefined()
    expect(await destinations().findViolation('https://nowhere.example.com/')).toBeUndefined()
  })
})

describe('changing DNS records', () => {
  test('from public to private after the destination was stored: the attempt is rejected without a connection', async () => {
    dns.setAddresses('hook.example.com', ['8.8.8.8'])
    expect(await destinations().findViolation('https://hook.example.com/')).toBeUndefined()
    dns.setAddresses('hook.example.com', ['127.0.0.1'])
    const outcome = await createSend({ allowPrivate: false })('https://hook.example.com/')
    expect(outcome).toMatchObject({
      errorKind: 'blocked_address',
      errorDetail: 'the host resolves to an address that is not public',
    })
  })

  test('between lookup and connection: the connection goes to the checked address', async () => {
    const { port } = new URL(endpoint.url)
    const trapped: string[] = []
    const trap = createServer((request, response) => {
      trapped.push(request.url ?? '')
      response.end()
    })
    await new Promise<void>((resolve) => trap.listen(Number(port), '127.0.0.2', resolve))
    closes.push(() => trap.close())
    dns.setAddresses('hook.test', ['127.0.0.1'], ['127.0.0.1'], ['127.0.0.2'])
    expect((await createSend({ allowPrivate: true })(`http://hook.test:${port}/`)).errorKind).toBeNull()
    expect(dns.queries.map(({ type }) => type).sort()).toEqual(['A', 'AAAA'])
    expect([endpoint.received.length, trapped]).toEqual([1, []])
    // The trap works: a second lookup leads to the trap.
    expect((await createSend({ allowPrivate: true })(`http://hook.test:${port}/`)).errorKind).toBeNull()
    expect(trapped).toEqual(['/'])
  })
})
