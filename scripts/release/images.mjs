/**
 * npm run images: builds an image of each kind from the Dockerfile, starts it, and prints their sizes. It needs root on
 * Debian, and installs buildah and debootstrap. The base images are made of Debian's packages and the Node of this
 * machine. Takes some minutes and 4 GB in .data/images.
 */
import { bootstrap, run } from '../bootstrap.mjs'

await run(async () => {
  await bootstrap({ only: 'packages/devkit' })
  const { buildImages, imageTable } = await import('../../packages/devkit/dist/images/images.js')
  console.log(imageTable(await buildImages((line) => console.log(`• ${line}`))))
  return 0
})
