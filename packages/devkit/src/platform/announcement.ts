import { developmentPeople } from '../sign-in/people.ts'
import { curlLine, type Demo, exportLine } from './demo.ts'

interface Started {
  readonly gatewayUrl: string
  /** Undefined without `--observe`. */
  readonly prometheusUrl?: string | undefined
  readonly demo: Demo
}

/** The text of npm start once the platform is ready: where its parts are, and the first payment. */
export function announcement({ gatewayUrl, prometheusUrl, demo }: Started, elapsedMs: number): string {
  const names = developmentPeople
    .map(({ id }) => id)
    .join(', ')
    .replace(/, (\w+)$/, ' or $1')
  const rows: readonly (readonly [string, string])[] = [
    ['Gateway', gatewayUrl],
    ['Console', `${gatewayUrl}/console  (sign in as ${names})`],
    ['Documentation', `${gatewayUrl}/docs`],
    ...(prometheusUrl === undefined ? [] : [['Prometheus', prometheusUrl] as const]),
    ['Tenant id', demo.tenant_id],
    ['Business unit id', demo.business_unit_id],
    ['Admin API key', demo.api_key.value],
  ]
  return [
    `\nReady after ${(elapsedMs / 1000).toFixed(1)} s.\n`,
    ...rows.map(([label, value]) => `  ${label.padEnd(18)}${value}`),
    `\nThe variables that README, the guides and the API reference use:\n\n${exportLine(gatewayUrl, demo)}`,
    `\nA payment (a new one each time you paste it):\n\n${curlLine(gatewayUrl, demo)}\n`,
    'Logs are in .data/dev/logs. Operators use: npm run payctl -- --help',
    'Ctrl-C stops everything; npm start continues with the same data; npm run reset deletes it.',
  ].join('\n')
}
