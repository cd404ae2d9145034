/**
 * The limits that the headers RateLimit-Policy and RateLimit of a response name. `quota`: requests of a full bucket;
 * `seconds`: in which an empty bucket becomes full.
 */
export function readLimits(headers: Headers) {
  const remaining = new Map(
    readHeaderItems(headers.get('RateLimit')).map(({ name, values }) => [name, values.get('r')]),
  )
  return readHeaderItems(headers.get('RateLimit-Policy')).flatMap(({ name, values }) => {
    const [quota, seconds] = [values.get('q'), values.get('w')]
    if (quota === undefined || seconds === undefined || seconds === 0) return []
    return [{ name, quota, seconds, remaining: Math.min(quota, remaining.get(name) ?? quota) }]
  })
}

/** `"key";q=100;w=1, "tenant";q=500;w=1` */
const readHeaderItems = (header: string | null) =>
  [...(header ?? '').matchAll(/"([^"]+)"((?:;[a-z]=\d+)*)/g)].map(([, name = '', parameters = '']) => ({
    name,
    values: new Map([...parameters.matchAll(/;([a-z])=(\d+)/g)].map(([, key = '', value]) => [key, Number(value)])),
  }))
