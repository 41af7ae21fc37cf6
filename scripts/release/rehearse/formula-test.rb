# ruby formula-test.rb <formula> <program> <folder>: runs the test of the formula on a program, without Homebrew.
# Defines only the parts of Homebrew that the test uses.
require "json"
require "pathname"

class Formula
  class << self
    attr_reader :tested

    def desc(*) = nil
    def homepage(*) = nil
    def license(*) = nil
    def on_macos = nil
    def on_linux = nil
    def version(text) = define_method(:version) { text }
    def test(&block) = @tested = block
  end

  attr_reader :bin, :testpath

  def initialize(bin, testpath)
    @bin = bin
    @testpath = testpath
  end

  def shell_output(command)
    said = `#{command}`
    raise "#{command}: exit code #{$?.exitstatus}" unless $?.success?

    said
  end

  def assert_match(part, text)
    raise "#{text.inspect} has no #{part.inspect}" unless text.include?(part)
  end

  def assert_equal(wanted, found)
    raise "#{found.inspect} is not #{wanted.inspect}" unless wanted == found
  end
end

formula, program, folder = ARGV
load formula
ENV["HOME"] = folder
Ccc.new(Pathname(program).dirname, Pathname(folder)).instance_eval(&Ccc.tested)
