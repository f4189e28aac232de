import { theme } from 'antd'
import { describe, expect, test } from 'vitest'
import { antdTheme } from './antdTheme.ts'
import { type Colours, colours } from './tokens.ts'

/** Of normal text: WCAG 2.1, AA. */
const leastContrast = 4.5

describe.each(['light', 'dark'] as const)('texts of the %s theme', (name) => {
  const c = colours[name]
  const config = antdTheme({ isDark: name === 'dark', isTouch: false, isStill: true })
  const token = theme.getDesignToken(config)
  const { defaultHoverColor = token.colorPrimaryHover, defaultActiveColor = token.colorPrimaryActive } =
    config.components?.Button ?? {}

  // Disabled controls are exempt from the standard, and say so by their shape and cursor as well.
  const grounds = [
    token.colorBgContainer,
    token.colorBgElevated,
    token.controlItemBgHover,
    token.controlItemBgActive,
  ]
  test.each([
    ['text', token.colorText, grounds],
    ['secondary text', token.colorTextSecondary, grounds],
    ['description', token.colorTextDescription, grounds],
    ['placeholder', token.colorTextPlaceholder, [token.colorBgContainer]],
    ['icon', token.colorIcon, grounds],
    ['icon under the pointer', token.colorIconHover, grounds],
    // A default button has no ground of its own.
    ['default button under the pointer', defaultHoverColor, [token.colorBgContainer, token.colorBgElevated]],
    ['default button pressed', defaultActiveColor, [token.colorBgContainer, token.colorBgElevated]],
    ['primary button', token.colorTextLightSolid, [token.colorPrimary]],
    ['primary button under the pointer', c.onBrand, [c.brandHover]],
    ['dangerous button', token.colorError, [token.colorBgContainer, token.colorBgElevated]],
    [
      'dangerous button under the pointer',
      token.colorErrorHover,
      [token.colorBgContainer, token.colorBgElevated],
    ],
    ['dangerous button pressed', token.colorErrorActive, [token.colorBgContainer, token.colorBgElevated]],
    ['link', token.colorLink, grounds],
    ['link under the pointer', token.colorLinkHover, grounds],
    ['link pressed', token.colorLinkActive, grounds],
    ['success', token.colorSuccess, [token.colorBgContainer, token.colorBgElevated]],
    ['warning', token.colorWarning, [token.colorBgContainer, token.colorBgElevated]],
  ])('antd: %s', (_what, text, on) => {
    for (const ground of on) expectRead(text, ground)
  })

  const own: (keyof Colours)[] = ['canvas', 'sunken', 'raised', 'hover', 'selected']
  test.each([
    ...(['text', 'textSecondary', 'textMuted', 'brandText', 'online', 'offline'] as const),
    ...(['level1', 'level2', 'level3', 'level4', 'level0', 'danger', 'dangerHover'] as const),
  ])('our own: %s', (text) => {
    for (const ground of own) expectRead(c[text], c[ground])
  })

  test('what stands on soft and filled grounds', () => {
    expectRead(c.danger, c.dangerSoft)
    expectRead(c.text, c.dangerSoft)
    expectRead(c.level1, c.level1Soft)
    expectRead(c.onBrand, c.brand)
    expectRead(c.text, c.flash)
  })
})

function expectRead(text: string, ground: string): void {
  expect(contrast(text, ground), `${text} on ${ground}`).toBeGreaterThanOrEqual(leastContrast)
}

function contrast(one: string, other: string): number {
  const [brighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (brighter + 0.05) / (darker + 0.05)
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channels(colour).map((channel) => {
    const part = channel / 255
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Of `#rgb`, `#rrggbb` and `rgb(…)`; a translucent colour is none whose contrast is known. */
function channels(colour: string): number[] {
  const short = /^#([\da-f])([\da-f])([\da-f])$/i.exec(colour)
  if (short) return short.slice(1).map((digit) => Number.parseInt(digit + digit, 16))
  const long = /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i.exec(colour)
  if (long) return long.slice(1).map((digits) => Number.parseInt(digits, 16))
  const whole = /^rgb\((\d+),\s*(\d+),\s*(\d+)\)$/.exec(colour)
  if (whole) return whole.slice(1).map(Number)
  throw new Error(`no opaque colour: ${colour}`)
}
