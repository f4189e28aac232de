import { describe, it } from 'vitest'
import { screensOf, stageOfWalk } from './walk.ts'

describe('every screen of devices and upgrades, light and dark, at 1440 and 390 px', () => {
  const { walkScreen } = stageOfWalk()

  for (const [path, states] of screensOf('devices')) {
    // proves: screen 8; screen 9; screen 10; screen 11; screen 14
    it(`is whole: ${path}, ${Object.keys(states).join(', ')}`, () => walkScreen(path, states))
  }
})
