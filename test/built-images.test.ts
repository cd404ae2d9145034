/** @slow It builds the images of a release. */
import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from '@jest/globals'
import { imagesDirectory } from '@payments/devkit/images/buildah'
import { type BuiltImage, buildImages } from '@payments/devkit/images/images'

/** The images of a release, built from the Dockerfile. Takes minutes: it is part of npm run test:all. */
let images: ReadonlyMap<string, BuiltImage>

beforeAll(async () => {
  const built = await buildImages(() => {})
  images = new Map(built.map((image) => [image.name, image]))
}, 2_400_000)

test.each(['rbac', 'gateway'])('the image of %s starts, and names each variable that it needs', (name) => {
  const output = images.get(name)?.output
  expect(output).toContain('The configuration is not usable')
  expect(output).toContain('ASSERTION_SIGN_KEYS: is not set')
})

test('the image of payctl prints the release', () => {
  expect(images.get('payctl')?.output).toMatch(/^\d+\.\d+\.\d+$/)
})

test('the image of the migrations requires the database of a service', () => {
  expect(images.get('migrate')?.output).toContain('DATABASE_URL is not set')
})

test('an image has no query compiler for a database other than PostgreSQL, and is small', () => {
  for (const image of images.values()) expect([image.name, image.foreignCompilers]).toEqual([image.name, []])
  expect(images.get('rbac')?.applicationBytes).toBeLessThan(100_000_000)
})

test('no container and no mount of a build stays, so that the checkout can be deleted', () => {
  expect(readFileSync('/proc/mounts', 'utf8')).not.toContain(imagesDirectory)
})
