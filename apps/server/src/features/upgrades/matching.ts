/** The SQL of firmware that upgrades use: queries import no other feature themselves. */
export {
  isOlder,
  isOnVersion,
  packageFitsDevice,
  packageFitsPart,
  packageVersion,
  packageVersionText,
  reportedVersion,
} from '../firmware/index.ts'
