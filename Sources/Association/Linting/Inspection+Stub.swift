extension Inspection { mutating func inspectNames(_ c: Linter.Context) {} 
mutating func inspectDocument() {} }
