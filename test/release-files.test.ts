/** @slow It builds the files of a release. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { requireImages } from './manifest-policies.ts'
import { type Manifest, renderedFrom, renderManifests, root } from './manifests.ts'

const directory = mkdtempSync(join(tmpdir(), 'release-'))
afterAll(() => rmSync(directory, { recursive: true }))

const script = (name: string, args: readonly string[], input?: string) =>
  spawnSync(process.execPath, [join(root, 'scripts', 'release', name), ...args], {
    encoding: 'utf8',
    input,
    timeout: 240_000,
  })

const imagesIn = (manifests: readonly Manifest[]) =>
  [...JSON.stringify(manifests).matchAll(/"image":"([^"]+)"/g)].map(([, image = '']) => image)
const shipped = imagesIn([...renderManifests('overlays/prod'), ...renderManifests('payctl')])
const names = [...new Set(shipped.map((image) => image.replace(/:.*/, '')))]
const digestName = (name: string) => `sha256:${createHash('sha256').update(name).digest('hex')}`
const references = names.map((name) => `registry.example.com/${name}@${digestName(name)}\n`)

test('pinned overlays run every image of a registry by its digest', () => {
  const copy = join(directory, 'k8s')
  cpSync(join(root, 'k8s'), copy, { recursive: true })
  const folders = ['overlays/qa', 'overlays/prod', 'payctl'].map((folder) => join(copy, folder))
  // A second run, such as for the next release, replaces the digests.
  for (const _ of [1, 2]) {
    const { status, stderr } = script('pin-images.mjs', folders, references.join(''))
    expect([status, stderr]).toEqual([0, ''])
  }
  for (const folder of folders) {
    const manifests = renderedFrom(folder)
    const images = imagesIn(manifests)
    expect(images.length).toBeGreaterThan(0)
    expect(images.filter((image) => !references.includes(`${image}\n`))).toEqual([])
    expect(requireImages('another')(manifests).filter((finding) => finding.includes('not pinned'))).toEqual([])
  }
})

test.each([
  ['an image without a reference', references.slice(1).join(''), /^no reference to payments\//],
  ['two references to one image', [...references, references[0]].join(''), /^two references to payments\//],
  ['a tag', 'registry.example.com/payments/rbac:latest\n', /^not a reference/],
  ['no references', '', /^not a reference/],
])('pinning with %s fails and writes nothing', (_, input, finds) => {
  const overlay = join(root, 'k8s/overlays/prod')
  const before = readFileSync(join(overlay, 'kustomization.yaml'), 'utf8')
  const { status, stderr } = script('pin-images.mjs', [overlay], input)
  expect(status).toBe(1)
  expect(stderr).toMatch(finds)
  expect(readFileSync(join(overlay, 'kustomization.yaml'), 'utf8')).toBe(before)
})

test('the software bill of materials is valid and lists what the images contain, and no test library', () => {
  const file = join(directory, 'sbom.cdx.json')
  const { status, stderr } = script('sbom.mjs', [file])
  expect([status, stderr]).toEqual([0, expect.not.stringContaining('not valid')])
  const { specVersion, components } = JSON.parse(readFileSync(file, 'utf8')) as {
    specVersion: string
    components: { name: string; version: string; purl: string; externalReferences?: { hashes?: object[] }[] }[]
  }
  expect(specVersion).toBe('1.6')
  const { version } = JSON.parse(readFileSync(join(root, 'gateway/node_modules/express/package.json'), 'utf8'))
  const express = components.find(({ name }) => name === 'express')
  expect(express).toMatchObject({ version, purl: `pkg:npm/express@${version}` })
  expect(express?.externalReferences?.flatMap(({ hashes = [] }) => hashes)).toHaveLength(1)
  expect(components.filter(({ name }) => /^jest|supertest|playwright/.test(name))).toEqual([])
}, 300_000)
