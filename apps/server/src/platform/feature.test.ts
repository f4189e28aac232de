import { expect, test } from 'vitest'
import {
  type Brought,
  constraintsOf,
  createFeatures,
  type Feature,
  feature,
  type Platform,
} from './feature.ts'

/** The tested features do not use the platform. */
const platform = {} as Platform

test('a service is created once, before the first feature that uses it, whatever the order of the list', () => {
  const created: string[] = []
  const lamps = feature({
    name: 'lamps',
    create() {
      created.push('lamps')
      return { service: { colour: 'red' } }
    },
  })
  const doors = feature({
    name: 'doors',
    create({ use }) {
      const { colour } = use(lamps)
      created.push(`doors, ${colour}`)
      return { service: null }
    },
  })
  const { use } = createFeatures([doors, lamps], platform)
  expect(use(lamps)).toBe(use(lamps))
  expect(created).toEqual(['lamps', 'doors, red'])
})

test('a cycle of features is refused with the names in it', () => {
  const [lamps, doors, keys]: Feature<unknown>[] = [
    feature({
      name: 'lamps',
      create: ({ use }): Brought<unknown> => ({ service: use(doors as Feature<unknown>) }),
    }),
    feature({
      name: 'doors',
      create: ({ use }): Brought<unknown> => ({ service: use(keys as Feature<unknown>) }),
    }),
    feature({
      name: 'keys',
      create: ({ use }): Brought<unknown> => ({ service: use(lamps as Feature<unknown>) }),
    }),
  ]
  const list = [lamps, doors, keys] as Feature<unknown>[]
  expect(() => createFeatures(list, platform)).toThrow('lamps → doors → keys → lamps')
})

test('a feature that is used but not listed is refused: its calls would not be served', () => {
  const lamps = feature({ name: 'lamps', create: () => ({ service: null }) })
  const doors = feature({ name: 'doors', create: ({ use }) => ({ service: use(lamps) }) })
  expect(() => createFeatures([doors], platform)).toThrow('doors → lamps')
})

test('a topic has one writer, and a constraint one refusal', () => {
  const writer = { name: 'alarm', write: async () => undefined }
  const two = ['lamps', 'doors'].map((name) =>
    feature({
      name,
      constraints: { code_taken: 'deviceCodeTaken' },
      create: () => ({ service: null, writers: { alarm: writer } }),
    }),
  )
  expect(() => createFeatures(two, platform)).toThrow('two features bring alarm')
  expect(() => constraintsOf(two)).toThrow('two features bring code_taken')
  expect(createFeatures(two.slice(0, 1), platform).writers).toEqual({ alarm: writer })
})
