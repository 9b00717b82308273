import JSONValue

enum ResourceSchemas {
  static let all: JSON.Object = {
    (try? JSON.parse(PackageResources.schemas_json).value)?.objectValue ?? [:]
  }()
}
