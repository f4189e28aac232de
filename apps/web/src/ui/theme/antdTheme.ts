// The theme of antd, from the same tokens as everything else.
import { type ThemeConfig, theme } from 'antd'
import { type Colours, colours, faces, sizes } from './tokens.ts'

export interface Circumstances {
  isDark: boolean
  isTouch: boolean
  /** No animations, for users whose system asks for reduced motion. */
  isStill: boolean
}

/** The colours with a meaning. antd's dark algorithm dulls them: a page would have two blues. */
const meaningful = (c: Colours) => ({
  colorPrimary: c.brand,
  colorPrimaryHover: c.brandHover,
  colorPrimaryActive: c.brandHover,
  colorLink: c.brandText,
  colorLinkHover: c.brandText,
  colorLinkActive: c.brandText,
  colorSuccess: c.online,
  colorError: c.danger,
  colorErrorHover: c.dangerHover,
  colorErrorActive: c.dangerHover,
  colorWarning: c.level2,
  colorInfo: c.brandText,
})

export function antdTheme({ isDark, isTouch, isStill }: Circumstances): ThemeConfig {
  const c = isDark ? colours.dark : colours.light
  return {
    algorithm: isDark
      ? [theme.darkAlgorithm, (_seed, map = theme.darkAlgorithm(_seed)) => ({ ...map, ...meaningful(c) })]
      : theme.defaultAlgorithm,
    cssVar: { key: 'vk' },
    hashed: false,
    token: {
      ...meaningful(c),
      colorText: c.text,
      colorTextSecondary: c.textSecondary,
      colorTextTertiary: c.textMuted,
      colorTextDescription: c.textMuted,
      colorTextPlaceholder: c.textMuted,
      colorIcon: c.textMuted,
      colorBgBase: c.canvas,
      colorBgContainer: c.canvas,
      colorBgElevated: c.raised,
      colorBgLayout: c.canvas,
      colorBgMask: c.shade,
      colorBorder: c.lineStrong,
      colorBorderSecondary: c.line,
      colorSplit: c.line,
      controlItemBgHover: c.hover,
      controlItemBgActive: c.selected,
      controlItemBgActiveHover: c.selected,
      boxShadowSecondary: c.shadow,
      fontFamily: faces.sans,
      fontFamilyCode: faces.mono,
      fontSize: isTouch ? sizes.textTouch : sizes.text,
      borderRadius: sizes.radius,
      borderRadiusLG: 6,
      borderRadiusSM: 3,
      controlHeight: isTouch ? sizes.controlTouch : sizes.control,
      controlHeightSM: isTouch ? 36 : 26,
      // A focused field differs from its neighbours, also among invalid ones: antd's own glow is too faint.
      controlOutlineWidth: 2,
      controlOutline: `color-mix(in srgb, ${c.brandText} 40%, transparent)`,
      colorErrorOutline: c.danger,
      motion: !isStill,
      motionDurationFast: '0.08s',
      motionDurationMid: '0.1s',
      motionDurationSlow: '0.14s',
      wireframe: false,
    },
    components: {
      // Below 16 px a phone zooms into a focused field.
      ...(isTouch && {
        Input: { inputFontSize: sizes.textLarge },
        InputNumber: { inputFontSize: sizes.textLarge },
        DatePicker: { inputFontSize: sizes.textLarge },
        // Its height is reckoned with the line of the smaller text.
        Select: {
          fontSize: sizes.textLarge,
          lineHeight: Math.round(sizes.textTouch * 1.5714) / sizes.textLarge,
        },
      }),
      Button: {
        primaryShadow: 'none',
        defaultShadow: 'none',
        dangerShadow: 'none',
        paddingInline: 12,
        // While pressed or under the pointer its text takes antd's hover fill, which does not suit text in the dark
        // theme.
        defaultHoverColor: c.brandText,
        defaultHoverBorderColor: c.brandText,
        defaultActiveColor: c.brandText,
        defaultActiveBorderColor: c.brandText,
      },
      Form: { itemMarginBottom: 18, labelColor: c.textSecondary },
      Modal: { titleFontSize: 15 },
      Drawer: { paddingLG: 16 },
      Pagination: {
        itemActiveBg: c.selected,
        itemActiveColor: c.brandText,
        itemActiveColorHover: c.brandText,
      },
    },
  }
}
