/** An address of a test server, which `npm test` puts into the environment. Throws without it. */
export function testAddress(variable: 'TEST_DATABASE_URL' | 'TEST_AMQP_URL'): string {
  const url = process.env[variable]
  if (!url) throw new Error(`${variable} is not set: run the tests through npm test`)
  return url
}
