import { gatewayFlags } from '@payments/devkit/platform/process-plan'

/** The options of a benchmark that choose other heap sizes for the gateway, in MB; 0 keeps the size it is run with. */
export const heapOptions = { 'semi-space-mb': 0, 'old-space-mb': 0 }

/** The flags of the gateway with these heap sizes. */
export function buildGatewayFlags(options: Readonly<Record<keyof typeof heapOptions, number>>): readonly string[] {
  const chosen = [
    ['--max-semi-space-size', options['semi-space-mb']],
    ['--max-old-space-size', options['old-space-mb']],
  ] as const
  return chosen
    .filter(([, mb]) => mb > 0)
    .reduce<readonly string[]>(
      (flags, [flag, mb]) => [...flags.filter((one) => !one.startsWith(`${flag}=`)), `${flag}=${mb}`],
      gatewayFlags,
    )
}
