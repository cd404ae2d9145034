import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { listenConfig } from '@payments/chassis/base/config'
import { drainMsMax } from '@payments/chassis/process/run'
import { gatewayFlags, processNames, serviceFlags } from '@payments/devkit/platform/process-plan'
import { isProcess, readPod, renderManifests, root } from './manifests.ts'

const processes = renderManifests('overlays/prod').filter(isProcess)
const listFlags = (name: string): readonly string[] => (name === 'gateway' ? gatewayFlags : serviceFlags)

test('Kubernetes waits longer for each process than its drain can take, and reads its readiness', () => {
  expect(processes.map(({ metadata }) => metadata.name).sort()).toEqual([...processNames].sort())
  const drainMs = drainMsMax(listenConfig.DRAIN_DELAY_MS.parse(undefined))
  for (const manifest of processes) {
    const { terminationGracePeriodSeconds: seconds = 0, containers } = readPod(manifest)
    const { name } = manifest.metadata
    expect([name, seconds * 1_000 > drainMs]).toEqual([name, true])
    expect(containers.map(({ readinessProbe }) => readinessProbe?.httpGet.path)).toEqual(['/readyz'])
  }
})

test('every process has the same flags of Node in the Dockerfile, in Kubernetes and in npm start', () => {
  const [, command = ''] = /^CMD (\[.*\])$/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8')) ?? []
  expect(JSON.parse(command).slice(0, -1)).toEqual(serviceFlags)
  for (const manifest of processes) {
    const { name } = manifest.metadata
    const flags = readPod(manifest).containers.map(({ args }) => args?.slice(0, -1) ?? serviceFlags)
    expect([name, flags]).toEqual([name, [listFlags(name)]])
  }
})

/** Code, stacks, buffers and TLS: the resident set of an idle process beyond its heap. */
const outsideHeapMb = 128
/** V8 keeps two semi-spaces and a third one while it copies. */
const semiSpaces = 3

test('the heap that the flags permit fits into the memory limit of each process', () => {
  for (const manifest of processes) {
    const { name } = manifest.metadata
    const flagMb = (flag: string) => {
      const given = listFlags(name).find((one) => one.startsWith(`--${flag}=`))
      return Number(given?.split('=')[1])
    }
    const heapMb = semiSpaces * flagMb('max-semi-space-size') + flagMb('max-old-space-size')
    for (const { resources } of readPod(manifest).containers) {
      const [, limitMb] = /^(\d+)Mi$/.exec(resources?.limits?.memory ?? '') ?? []
      expect([name, heapMb + outsideHeapMb <= Number(limitMb)]).toEqual([name, true])
    }
  }
})
