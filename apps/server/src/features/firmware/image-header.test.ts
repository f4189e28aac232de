import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { espImage, mcubootImage } from '../../demo/images.ts'
import { imageHeaderBytes, readImageHeader } from './image-header.ts'

const beginning = (image: Uint8Array) => image.subarray(0, imageHeaderBytes)

describe('the header of an image', () => {
  test('of MCUboot contains its version with revision and build', () => {
    const image = mcubootImage({ major: 1, minor: 4, revision: 300, build: 70_000 })
    expect(readImageHeader(beginning(image))).toEqual({
      format: 'MCUboot',
      version: '1.4.300+70000',
      major: 1,
      minor: 4,
    })
    expect(readImageHeader(mcubootImage({ major: 255, minor: 0 }))).toMatchObject({ version: '255.0.0' })
  })

  test.each([
    ['1.4', 1, 4],
    ['1.4.2', 1, 4],
    ['v2.10-3-gabcdef0', 2, 10],
    ['V0.9-dirty', 0, 9],
    ['abcdef0', null, null],
    ['1', null, null],
    ['', null, null],
    ['12345678901.1', null, null],
    ['x'.repeat(32), null, null],
  ])('of ESP-IDF says %j', (version, major, minor) => {
    expect(readImageHeader(beginning(espImage(version)))).toEqual({
      format: 'ESP-IDF',
      version,
      major,
      minor,
    })
  })

  test('is shown without control characters', () => {
    expect(readImageHeader(espImage('1.4\u001b[31m'))).toMatchObject({
      version: '1.4?[31m',
      major: 1,
      minor: 4,
    })
  })

  test('that is truncated is reported', () => {
    expect(readImageHeader(mcubootImage({ major: 1, minor: 4 }).subarray(0, 31))).toBe('truncated')
    expect(readImageHeader(mcubootImage({ major: 1, minor: 4 }).subarray(0, 4))).toBe('truncated')
    expect(readImageHeader(espImage('1.4').subarray(0, 79))).toBe('truncated')
    expect(readImageHeader(espImage('1.4').subarray(0, 36))).toBe('truncated')
  })

  test('is not found in other files: text, archives, an ESP-IDF bootloader, an empty file', () => {
    const bootloader = espImage('1.4')
    bootloader.fill(0, 32, 36)
    for (const bytes of [
      bootloader,
      espImage('1.4').subarray(0, 35),
      mcubootImage({ major: 1, minor: 4 }).subarray(0, 3),
      Buffer.from('#!/bin/sh\n'),
      Buffer.alloc(imageHeaderBytes),
      Buffer.alloc(0),
    ]) {
      expect(readImageHeader(bytes)).toBeNull()
    }
  })

  test('never throws, for any bytes at any position', () => {
    const magic = fc.constantFrom(Buffer.from([0x3d, 0xb8, 0xf3, 0x96]), Buffer.from([0xe9]), Buffer.alloc(0))
    fc.assert(
      fc.property(magic, fc.uint8Array({ maxLength: 100 }), fc.nat(7), (start, rest, offset) => {
        const whole = Buffer.concat([Buffer.alloc(offset), start, rest])
        const read = readImageHeader(new Uint8Array(whole).subarray(offset))
        expect(read === null || read === 'truncated' || read.version.length <= 32).toBe(true)
      }),
    )
  })
})
